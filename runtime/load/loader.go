package load

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// Loader makes modules of files. It is safe for concurrent use.
type Loader struct {
	limits  module.Limits
	logger  *slog.Logger
	metrics *Metrics
	budget  *module.Budget
	vetter  *vetter          // nil in a vetting child, and if the operator trusts the modules
	cache   *codecache.Cache // nil: everything is compiled
	loaded  *ownersMemory    // nil in a vetting child, which has its own limit of memory

	skipCases bool   // Config.SkipCases
	interpret bool   // run modules on the interpreter instead of compiling them
	stages    stages // of a vetting child, while it compiles and tests a module
}

// stages are told the progress of loading a module.
type stages interface {
	// handover returns the file that gets the code of the module; nil if there is none.
	handover() *codeFile
	// expect prepares for compiling a module of so many bytes.
	expect(wasm int)
	// begin begins a stage. An error ends loading.
	begin(stage string) error
}

// noStages are the stages of a Loader that is in no vetting child.
type noStages struct{}

func (noStages) handover() *codeFile { return nil }
func (noStages) expect(int)          {}
func (noStages) begin(string) error  { return nil }

// newLoader makes a loader that does not vet. With nil metrics it records none.
func newLoader(limits module.Limits, logger *slog.Logger, m *Metrics) *Loader {
	if m == nil {
		m = NewMetrics(prometheus.NewRegistry())
	}
	return &Loader{limits: limits, logger: logger, metrics: m, budget: module.NewBudget(limits.Instances, false), stages: noStages{}}
}

// Config configures a Loader.
type Config struct {
	Limits  module.Limits    // zero fields mean their defaults
	Logger  *slog.Logger     // nil: no log
	Metrics *Metrics         // nil: none
	Cache   *codecache.Cache // of compiled code; nil: none
	Vet     bool             // load each module in a child process first
	// SkipCases loads a module although its golden cases may fail, for tools that test them one by
	// one (TryCases). A vetting child tests them nevertheless.
	SkipCases bool
	Owners    int // how many owners share Limits.LoadedBytes and Limits.Instances; 0 = one
}

// NewLoader returns a Loader.
func NewLoader(config Config) *Loader {
	limits := config.Limits.WithDefaults()
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	l := newLoader(limits, config.Logger, config.Metrics)
	l.cache, l.skipCases, l.loaded = config.Cache, config.SkipCases, newOwnersMemory(int64(limits.LoadedBytes), config.Owners)
	l.budget = module.NewBudget(limits.Instances, config.Owners > 1)
	if config.Vet {
		l.vetter = newVetter(limits, config.Logger)
	}
	return l
}

// Limits returns the limits with their defaults.
func (l *Loader) Limits() module.Limits { return l.limits }

// CloseIdle closes the instances that no module has used for Limits.IdleTime.
func (l *Loader) CloseIdle(now time.Time) { l.budget.CloseIdle(now.Add(-l.limits.IdleTime)) }

// Load takes a file, with its sidecar beside it or nil, through all checks that a module must pass
// before it may serve. The time of a try (WithTry) starts when the work starts, not while the file
// waits for a vetting child. The caller closes the module, or passes it to a set.
//
// # Errors
//
// The error says at which check the module failed, for the person who put the file there. A
// BusyError says nothing of the file.
func (l *Loader) Load(ctx context.Context, name artifact.Name, file watch.File, beside *watch.File) (*module.Module, error) {
	if l.vetter == nil { // else it starts with the child
		StartTry(ctx)
	}
	c, err := newCandidate(l, name, file, beside)
	if err != nil {
		return nil, err
	}
	m, err := l.load(ctx, c)
	return m, busyOr(err)
}

// load compiles a candidate, starts it, and has it pass the golden cases of its sidecar.
func (l *Loader) load(ctx context.Context, c *candidate) (m *module.Module, err error) {
	start := time.Now()
	done, err := l.compile(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { done(err) }()
	if err := l.stages.begin(stageStart); err != nil {
		c.close()
		return nil, err
	}
	m, err = module.Start(ctx, module.Config{
		Name: c.name, Sum: c.file.Sum, ContentSum: c.contentSum, Size: len(c.file.Content), Sidecar: c.sidecar, Command: c.command,
		Program: c.program, Limits: c.limits, Budget: l.budget, Logger: l.logger, Metrics: l.metrics.modules, Footprint: &c.footprint,
	})
	if err != nil {
		return nil, err
	}
	if err := l.stages.begin(stageCases); err != nil {
		m.Close()
		return nil, err
	}
	if !l.interpret && !l.skipCases { // selfTest compares the interpreter with the compiled code
		if err := passCases(ctx, m); err != nil {
			m.Close()
			return nil, err
		}
	}
	m.Loaded(time.Since(start))
	return m, nil
}
