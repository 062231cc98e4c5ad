package module

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/internal/codecache"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/memory"
)

// Loader makes modules of files. It is safe for concurrent use.
type Loader struct {
	limits  Limits
	logger  *slog.Logger
	metrics *Metrics
	budget  *budget
	wasi    map[string]string // WASI function name to type
	vetter  *vetter           // nil in a vetting child, and if the operator trusts the modules
	cache   *codecache.Cache  // nil: everything is compiled
	loaded  *loadedMemory     // nil in a vetting child, which has its own limit of memory

	skipCases bool      // LoaderConfig.SkipCases
	interpret bool      // run modules on the interpreter instead of compiling them
	child     *vetChild // in a vetting child, while it compiles and tests a module; otherwise nil
}

// newLoader makes a loader that does not vet. With nil metrics it records none.
func newLoader(limits Limits, logger *slog.Logger, m *Metrics) *Loader {
	if m == nil {
		m = NewMetrics(prometheus.NewRegistry())
	}
	return &Loader{limits: limits, logger: logger, metrics: m, budget: newBudget(limits.Instances), wasi: wasiSignatures()}
}

// LoaderConfig configures a Loader.
type LoaderConfig struct {
	Limits  Limits // zero fields mean their defaults
	Logger  *slog.Logger
	Metrics *Metrics         // nil: none
	Cache   *codecache.Cache // of compiled code; nil: none
	Vet     bool             // load each module in a child process first
	// SkipCases loads a module although its golden cases may fail, for tools that test them one by
	// one (Module.TryCases). A vetting child tests them nevertheless.
	SkipCases bool
	Beside    *Loader // shares its vetting children with this Loader; nil: it has its own
}

// NewLoader returns a Loader.
func NewLoader(config LoaderConfig) *Loader {
	limits := config.Limits.withDefaults()
	l := newLoader(limits, config.Logger, config.Metrics)
	l.cache, l.skipCases, l.loaded = config.Cache, config.SkipCases, &loadedMemory{most: int64(limits.LoadedBytes)}
	if config.Vet {
		l.vetter = newVetter(limits, config.Logger)
		if o := config.Beside; o != nil && o.vetter != nil {
			l.vetter.slots = o.vetter.slots
		}
	}
	return l
}

// Limits returns the limits with their defaults.
func (l *Loader) Limits() Limits { return l.limits }

// CloseIdle closes the instances that no module has used for Limits.IdleTime.
func (l *Loader) CloseIdle(now time.Time) { l.budget.expire(now.Add(-l.limits.IdleTime)) }

// Load takes a file, with its sidecar beside it or nil, through all checks that a module must pass
// before it may serve. The time of a try (WithTry) starts when the work starts, not while the file
// waits for a vetting child. The caller closes the module, or passes it to a set.
//
// # Errors
//
// The error says at which check the module failed, for the person who put the file there. A
// BusyError says nothing of the file.
func (l *Loader) Load(ctx context.Context, name artifact.Name, file watch.File, beside *watch.File) (*Module, error) {
	if l.vetter == nil { // else it starts with the child
		startTry(ctx)
	}
	return l.load(ctx, name, file, beside)
}

// load loads a module and runs all checks that it must pass before it may serve: the digest
// that its sidecar pins, inflate, scan and rewrite, exports and imports, compile, instantiate and
// initialise, describe, a first call without objects, and the sidecar's golden cases.
//
// The error names the failed step for the person who installed the file. It is a *BusyError if the
// machine was too busy to decide.
func (l *Loader) load(ctx context.Context, name artifact.Name, file watch.File, beside *watch.File) (*Module, error) {
	m, err := l.tryLoad(ctx, name, file, beside)
	return m, busyOr(err)
}

func (l *Loader) tryLoad(ctx context.Context, name artifact.Name, file watch.File, beside *watch.File) (m *Module, err error) {
	start := time.Now()
	says, err := artifact.ReadSidecar(name, beside)
	if err != nil {
		return nil, err
	}
	if err := says.CheckPin(file); err != nil {
		return nil, err
	}
	limits, err := l.limits.lowered(says)
	if err != nil {
		return nil, err
	}
	m = &Module{
		name:       name,
		contentSum: artifact.ContentSum(file, beside),
		sidecar:    says,
		declared:   says.Fields,
		digest:     hex.EncodeToString(file.Sum[:]),
		size:       len(file.Content),
		limits:     limits,
		logger:     l.logger.With("module", name.File),
		metrics:    l.metrics.forModule(name.File),
		breaker:    breaker{faults: l.limits.BreakerFaults, pause: l.limits.BreakerPause, pauseMax: l.limits.BreakerPauseMax},
		memory:     l.loaded,
	}
	m.guestLog = newGuestLog(m.logger, func(n int) { m.metrics.logDropped.Add(float64(n)) })

	done, err := l.compile(ctx, m, file, beside)
	if err != nil {
		return nil, err
	}
	defer func() { done(err == nil) }()
	if err := l.child.beginStage(stageStart); err != nil {
		m.engine.close()
		return nil, err
	}
	m.pool = newPool(m, l.budget)
	if err := m.firstInstance(ctx); err != nil {
		m.Close()
		return nil, err
	}
	if err := l.child.beginStage(stageCases); err != nil {
		m.Close()
		return nil, err
	}
	if !l.interpret && !l.skipCases { // selfTest compares the interpreter with the compiled code
		if err := m.passCases(ctx); err != nil {
			m.Close()
			return nil, err
		}
	}
	m.took = time.Since(start)
	return m, nil
}

// firstInstance starts the module once: a module that does not initialise, or does not answer an
// empty batch, never serves. The instance's state after initialisation becomes the image of all
// others.
func (m *Module) firstInstance(ctx context.Context) error {
	if m.command {
		return nil // it starts anew for every batch, and an empty batch tests nothing
	}
	if fault := m.pool.takeSlot(ctx, nil); fault != nil {
		return fault
	}
	if fault := m.budget().acquire(ctx, nil); fault != nil {
		<-m.pool.slots
		return fault
	}
	in, fault := m.newInstance(ctx)
	if fault != nil {
		m.budget().release()
		<-m.pool.slots
		return fmt.Errorf("starting the module: %w", fault)
	}
	sound := false
	defer func() { m.pool.giveBack(in, sound) }()
	if m.resettable && in.portable {
		m.image = memory.TakeImage(in.memory, in.globals)
		if err := m.hold(int64(m.image.Bytes())); err != nil {
			return err
		}
	}
	said, fault := in.describe(ctx)
	if fault != nil {
		return fmt.Errorf("asking the module to describe itself: %w", fault)
	}
	if said != nil {
		if err := json.Unmarshal(said, &m.description); err != nil {
			return fmt.Errorf("%s does not return JSON like {\"name\": \"…\", \"version\": \"…\"}: %w", exportDescribe, err)
		}
		m.description.tidy()
		if err := m.declare(said); err != nil {
			return fmt.Errorf("%s: %w", exportDescribe, err)
		}
	}
	edge := m.name.Edges()[0]
	if _, _, fault := in.batch(ctx, edge.Group+"/"+edge.To, nil, nil); fault != nil {
		return fmt.Errorf("trying the module on an empty batch: %w", fault)
	}
	sound = true
	return nil
}

func (m *Module) budget() *budget { return m.pool.budget }

// tidy cleans and bounds a module's description of itself.
func (d *Description) tidy() {
	for _, s := range []*string{&d.Name, &d.Version, &d.Language, &d.SDK, &d.Source, &d.Licence} {
		if *s != "" {
			*s = foreign.Clean(*s, 200)
		}
	}
}
