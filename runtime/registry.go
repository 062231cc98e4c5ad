package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/internal/codecache"
	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Config says what a Registry follows. Dir, Registerer and OnSet are required.
type Config struct {
	// Dir is the directory of modules.
	Dir string
	// Limits bound what modules may cost; the zero value means the defaults.
	Limits module.Limits
	// Logger gets one line for each module loaded, refused, replaced or gone. Nil means none.
	Logger *slog.Logger
	// Registerer gets the package's metrics.
	Registerer prometheus.Registerer
	// First are conversions whose kinds are loaded before others.
	First []artifact.Edge
	// OnSet is called with each set that is to serve from now on, never by two goroutines at once. The set it replaces is
	// released only after OnSet has returned, so what OnSet publishes is never a retired set.
	OnSet func(*Set)
	// OnReady, if not nil, is called once, when all that the directory held at the start was loaded, refused or put last.
	OnReady func()
	// StartGrace is the most time of a file's first try: a file that takes longer is put last, and nothing waits for it. Default 20 s.
	StartGrace time.Duration
	// Vet has new modules loaded in a child process first. It needs a main function that hands over to VetMain.
	Vet bool
	// CompileCache keeps what the compiler made of modules, nil if nothing does. Close it after Run has returned and no set is used.
	CompileCache *codecache.Cache
	// Keys, if there are any, are those of which one must have signed the directory's SHA256SUMS, which then must be there.
	Keys sums.Keys
	// Probation is how long after a swap, and after each batch that the new version fails then, the version before stays loaded, to convert
	// what the new one fails and to take over if it fails too often. Zero means not at all.
	Probation time.Duration
	// Beside is another registry of the process, nil if there is none: the two share the memory for vetting, and this one loads nothing
	// before the other was ready, for that one's modules are waited for.
	Beside *Registry
	// Quiet, MaxQuiet and Poll are passed on to the watcher, and Quiet to each snapshot; zero means their defaults.
	Quiet, MaxQuiet, Poll time.Duration
}

// Registry follows a directory of modules and publishes what serves. Its methods may be called from any goroutine; Run is
// called once.
type Registry struct {
	config    Config
	loader    *module.Loader
	metrics   *metrics
	watcher   *watch.Watcher
	logger    *slog.Logger
	ready     atomic.Bool
	first     chan struct{} // closed when ready
	began     time.Time     // when Run was called
	condemned chan struct{} // of size 1: something is to be gone back on
	kick      chan struct{} // of size 1: what was put last may be loaded
	retry     *time.Timer   // asks for a pass when a failure may be tried again

	changing sync.Mutex // held while the set that serves is decided on and published; taken before mu

	mu       sync.Mutex // guards what follows; held for moments only, never while a module loads
	slots    map[string]*slot
	refused  map[string]refusedFile // files that are no modules, by name
	list     *sums.Check            // what SHA256SUMS says of the files; never nil
	listed   refusedFile            // why it lets none be used, and since when it is as it is
	current  *Set
	waiting  []*job          // new content that nobody has begun with
	jobs     map[string]*job // all content that is to be loaded, by the module's base, until something has come of it
	slow     []*job          // of jobs, those that were put last and are not at work; see slow.go
	passing  bool            // new content is being loaded, and slow waits
	problem  string          // why the directory could not be read at the last pass
	shutdown bool

	loadingSlow *job                    // the one of those that were put last that is at work
	stopSlow    context.CancelCauseFunc // ends its try
}

// slot is what is known of one module, by the base of its name: the module that serves and the file that is there.
type slot struct {
	serving  *module.Module
	previous *PreviousModule // of serving, while that is on probation
	since    time.Time       // when it began to serve
	present  bool            // whether the directory has a file of this name
	gone     time.Time       // when the file vanished
	failure  *failure        // of the newest content, while that is not what serves

	condemned map[[32]byte]verdict // contents that are not loaded again, by identity
}

// failure is content that did not load. It is remembered, so that it is not tried at every pass.
type failure struct {
	file     string
	digest   [32]byte // of the module's file
	identity [32]byte // of it and its sidecar
	err      error
	at       time.Time
	tries    int
	retryAt  time.Time // zero: not before the directory changes

	rolledBack time.Time // when it was, if it served and was rolled back
	overrun    bool      // it served, and a call of it overran
}

// A failure is tried again after a second, then twice that and so on: what failed for lack of memory may load later.
const (
	retryFirst = time.Second
	retryMax   = 5 * time.Minute
	retryBusy  = 10 * time.Second // where the machine was busy, which passes
)

type refusedFile struct {
	reason string
	at     time.Time
}

// New makes a registry and publishes an empty set. Nothing is read before Run.
//
// # Errors
//
// Dir must name a directory; one that vanishes later is waited for.
func New(config Config) (*Registry, error) {
	if info, err := os.Stat(config.Dir); err != nil {
		return nil, fmt.Errorf("module directory: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("module directory: %s is not a directory", config.Dir)
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.StartGrace == 0 {
		config.StartGrace = 20 * time.Second
	}
	r := &Registry{config: config, logger: config.Logger, first: make(chan struct{}), condemned: make(chan struct{}, 1), kick: make(chan struct{}, 1), slots: map[string]*slot{}, jobs: map[string]*job{}, refused: map[string]refusedFile{}, list: &sums.Check{}}
	r.watcher = watch.New(watch.Config{Dir: config.Dir, Logger: config.Logger, Quiet: config.Quiet, MaxQuiet: config.MaxQuiet, Poll: config.Poll})
	r.retry = time.AfterFunc(time.Hour, r.watcher.Again)
	r.retry.Stop()
	r.metrics = newMetrics(config.Registerer, r.watcher.Degraded)
	var err error
	loading := module.LoaderConfig{Limits: config.Limits, Logger: config.Logger, Metrics: r.metrics.modules, Cache: config.CompileCache, Vet: config.Vet}
	if config.Beside != nil {
		loading.Beside = config.Beside.loader
	}
	if r.loader, err = module.NewLoader(loading); err != nil {
		return nil, err
	}
	config.Registerer.MustRegister(instanceCollector{r})
	r.publish(newSet(nil, nil, nil))
	return r, nil
}

// Run loads what the directory holds and follows its changes until ctx ends; then it lets go of the current set, whose
// modules are closed when the last review that uses them is done.
func (r *Registry) Run(ctx context.Context) error {
	expire := time.NewTicker(r.loader.Limits().IdleTime / 4)
	defer expire.Stop()
	overruns := time.NewTicker(module.OverrunPeriod)
	defer overruns.Stop()
	stopped := make(chan struct{})
	go func() { // ends with ctx
		defer close(stopped)
		for {
			select {
			case <-expire.C:
				r.loader.CloseIdle(time.Now())
			case now := <-overruns.C:
				r.endOverruns(now)
			case <-r.condemned:
				r.enter(nil)
			case <-ctx.Done():
				return
			}
		}
	}()
	if o := r.config.Beside; o != nil {
		select {
		case <-o.first:
		case <-ctx.Done(): // then the watcher does nothing
		}
	}
	r.began = time.Now()
	var slow sync.WaitGroup
	slow.Go(func() { r.loadSlow(ctx) }) // ends with ctx
	r.watcher.Run(ctx, func() { r.pass(ctx) })
	<-stopped
	slow.Wait()
	r.retry.Stop()
	r.mu.Lock()
	last := r.current
	r.shutdown = true
	r.mu.Unlock()
	if last != nil {
		last.Release()
	}
	if err := ctx.Err(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Ready reports whether the directory has been gone through once, and nothing in it was still being written then: each of its files was
// loaded, refused or put last.
func (r *Registry) Ready() bool { return r.ready.Load() }

// publish makes a set the current one and retires the one before. r.changing is held, but by New.
func (r *Registry) publish(s *Set) {
	r.config.OnSet(s)
	r.mu.Lock()
	before := r.current
	r.current = s
	r.mu.Unlock()
	if before != nil {
		before.Release()
	}
}
