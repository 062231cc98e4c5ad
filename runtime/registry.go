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
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Config configures a Registry. Dir, Registerer and OnSet are required.
type Config struct {
	// Dir is the directory of modules.
	Dir string
	// Limits bound the cost of modules; the zero value means the defaults.
	Limits module.Limits
	// Logger gets one line for each module that is loaded, rejected, replaced or deleted. Nil means
	// no log.
	Logger *slog.Logger
	// Registerer gets the package's metrics.
	Registerer prometheus.Registerer
	// First are conversions whose kinds are loaded before other kinds.
	First []artifact.Edge
	// OnSet is called with each new set, never by two goroutines at once. The replaced set is
	// released only after OnSet has returned, so OnSet never publishes a retired set.
	OnSet func(*Set)
	// OnReady, if not nil, is called once, when each file that the directory had at the start was
	// loaded, rejected or postponed.
	OnReady func()
	// Subscriber reads other files of the directory; nil without such files.
	Subscriber Subscriber
	// StartGrace is the time limit of a file's first try: a file that takes longer is postponed,
	// and nothing waits for it. Default 20 s.
	StartGrace time.Duration
	// Vet loads new modules in a child process first. The main function must call VetMain.
	Vet bool
	// CompileCache keeps compiled modules; nil for no cache. Close it after Run has returned and no
	// set is in use.
	CompileCache *codecache.Cache
	// Keys are the keys of which one must have signed the directory's SHA256SUMS. Without keys, the
	// list is optional.
	Keys sums.Keys
	// Probation is how long the previous version stays loaded after a swap. It is the fallback for
	// failed batches, each of which restarts the period, and serves again if the new version fails
	// too often. Zero disables probation.
	Probation time.Duration
	// Beside is another registry of the process; nil if there is none. The two share the memory for
	// vetting, and this one loads nothing before the other is ready, because reviews wait for the
	// other's modules.
	Beside *Registry
	// Quiet, MaxQuiet and Poll configure the watcher, and Quiet each snapshot; zero means their
	// defaults.
	Quiet, MaxQuiet, Poll time.Duration
}

// Registry follows a directory of modules and publishes sets of serving modules. It is safe for
// concurrent use; Run is called once.
type Registry struct {
	config    Config
	loader    *load.Loader
	load      func(context.Context, artifact.Name, watch.File, *watch.File) (*module.Module, error) // loader's Load; tests delay it
	holders   *holders
	metrics   *metrics
	watcher   *watch.Watcher
	again     func() // requests a scan: the watcher's Again; tests replace it
	logger    *slog.Logger
	ready     atomic.Bool
	first     chan struct{} // closed when ready
	began     time.Time     // when Run was called
	rollbacks chan struct{} // of size 1: a module on probation has failed too often
	kick      chan struct{} // of size 1: postponed files may be loaded
	retry     *time.Timer   // requests a scan when a failed file may be tried again

	changing sync.Mutex // held while the next set is decided and published; locked before mu

	mu       sync.Mutex // guards the fields below; never held while a module loads
	slots    map[string]*slot
	rejected map[string]rejectedFile // files that are not used, by name
	list     *sums.Check             // the verdict of SHA256SUMS on the files; never nil
	listed   rejectedFile            // why it allows no file, and since when
	current  *Set
	waiting  []*job          // new content that is not being loaded yet
	jobs     map[string]*job // all content to load, by the module's base, until its result is recorded
	slow     []*job          // postponed jobs that are not being loaded; see slow.go
	loading  bool            // new content is being loaded, and slow waits
	problem  string          // why the last scan could not read the directory

	loadingSlow *job                    // the postponed job that is being loaded
	stopSlow    context.CancelCauseFunc // ends its try
}

// Failed content is retried after a second, then after twice that and so on: a module that failed
// for lack of memory may load later.
const (
	retryFirst = time.Second
	retryMax   = 5 * time.Minute
	retryBusy  = 10 * time.Second // if the machine was busy, which passes
)

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
	r := &Registry{config: config, logger: config.Logger, first: make(chan struct{}), rollbacks: make(chan struct{}, 1), kick: make(chan struct{}, 1), slots: map[string]*slot{}, jobs: map[string]*job{}, rejected: map[string]rejectedFile{}, holders: &holders{sets: map[*module.Module]int{}}, list: &sums.Check{}}
	r.watcher = watch.New(watch.Config{Dir: config.Dir, Logger: config.Logger, Quiet: config.Quiet, MaxQuiet: config.MaxQuiet, Poll: config.Poll})
	r.again = r.watcher.Again
	r.retry = time.AfterFunc(time.Hour, r.watcher.Again)
	r.retry.Stop()
	r.metrics = newMetrics(config.Registerer, r.watcher.Degraded)
	loading := load.Config{Limits: config.Limits, Logger: config.Logger, Metrics: r.metrics.modules, Cache: config.CompileCache, Vet: config.Vet}
	if config.Beside != nil {
		loading.Beside = config.Beside.loader
	}
	r.loader = load.NewLoader(loading)
	r.load = r.loader.Load
	config.Registerer.MustRegister(instanceCollector{r})
	r.publish(r.holders.newSet(nil, nil, nil))
	return r, nil
}

// Run loads the directory's modules and follows its changes until ctx ends. Then it releases the
// current set; its modules are closed when the last review that uses them has ended.
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
			case <-r.rollbacks:
				r.publishResults(nil)
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
	r.watcher.Run(ctx, func() { r.scan(ctx) })
	<-stopped
	slow.Wait()
	r.retry.Stop()
	r.mu.Lock()
	last := r.current
	r.mu.Unlock()
	if last != nil {
		last.Release()
	}
	if err := ctx.Err(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Ready reports whether each file of one complete scan was loaded, rejected or postponed. A scan is
// complete if no file was being written.
func (r *Registry) Ready() bool { return r.ready.Load() }

// publish makes a set the current one and retires the previous set. r.changing is held, except by
// New.
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
