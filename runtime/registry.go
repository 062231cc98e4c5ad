package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// Registry follows a directory of modules and publishes sets of serving modules. It is safe for
// concurrent use; Run is called once.
type Registry struct {
	config    Config
	journal   *journal
	loader    *load.Loader
	load      loadFunc // loader's Load; tests delay it
	queue     *queue
	holders   *holders
	ready     atomic.Bool
	rollbacks chan struct{} // of size 1: a module on probation has failed too often

	directories directories

	changing sync.Mutex // held while the next set is decided and published; locked before mu

	servedFile *servedFile
	remember   chan struct{} // of size 1: the modules that serve may have changed

	mu    sync.Mutex // guards the fields below; never held while a module loads
	state *state
	start start
	waits error // why the registry is not ready
}

// New makes a registry and publishes an empty set. Nothing is read before Run.
//
// # Errors
//
// Dir must name a directory; one that vanishes later is waited for.
func New(config Config) (*Registry, error) {
	if len(config.Owners) == 0 {
		config.Owners = []Owner{{Dir: config.Dir}}
	}
	for _, o := range config.Owners {
		if info, err := os.Stat(o.Dir); err != nil {
			return nil, fmt.Errorf("module directory: %w", err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("module directory: %s is not a directory", o.Dir)
		}
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.StartGrace == 0 {
		config.StartGrace = 20 * time.Second
	}
	if config.Working == nil {
		config.Working = func() func() { return func() {} }
	}
	r := &Registry{config: config, rollbacks: make(chan struct{}, 1), remember: make(chan struct{}, 1), holders: &holders{sets: map[*module.Module]int{}}}
	r.journal = &journal{config.Logger, newMetrics(config.Registerer, r.directories.degraded)}
	r.state = newState(r.journal, config.Probation, func() { request(r.rollbacks) })
	r.state.reserved = newReservations(config.Owners)
	r.loader = load.NewLoader(load.Config{Limits: config.Limits, Logger: config.Logger, Metrics: r.journal.metrics.modules, Cache: config.CompileCache, Vet: config.Vet, Owners: len(config.Owners)})
	r.load = r.loader.Load
	limits := r.loader.Limits()
	for _, o := range config.Owners {
		r.directories.all = append(r.directories.all, newFollowed(o, len(config.Owners), config, r.journal.of(o.Name), watch.ReadLimits{
			FileBytes: int64(limits.PackedBytes), TotalBytes: int64(limits.DirectoryBytes), Quiet: config.Quiet,
		}))
	}
	r.queue = newQueue(config.First, func(size, overran int) time.Duration {
		return load.TryTime(size, overran, config.StartGrace, limits)
	}, r.journal, goruntime.GOMAXPROCS(0))
	r.queue.owners = len(config.Owners)
	r.servedFile = newServedFile(config.Served, config.Owners)
	before, err := r.servedFile.recall()
	if err != nil {
		config.Logger.Warn("cannot read which modules served before; no module goes first", "err", err)
	}
	maps.DeleteFunc(before, func(_ string, name artifact.Name) bool { return r.state.reserved.check(name) != nil }) // the operator gave its kind to another owner
	r.start = start{budget: config.StartGrace, before: before, recalls: len(before) > 0}
	config.Registerer.MustRegister(instanceCollector{r.journal.metrics.instances, r.eachServing})
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
				r.publishNext(func(time.Time) { r.state.checkOverruns(now) })
			case <-r.rollbacks:
				r.publishResults(nil)
			case <-ctx.Done():
				return
			}
		}
	}()
	r.mu.Lock()
	r.start.began = time.Now()
	r.directories.began = r.start.began
	r.mu.Unlock()
	defer time.AfterFunc(r.config.StartGrace, r.checkReady).Stop()
	var working sync.WaitGroup
	working.Go(func() { r.work(ctx) })                                                    // ends with ctx
	working.Go(func() { r.servedFile.keep(ctx, r.remember, r.served, r.journal.logger) }) // ends with ctx
	var following sync.WaitGroup
	for _, d := range r.directories.all {
		following.Go(func() { d.watcher.Run(ctx, func() { r.scan(ctx, d) }) }) // ends with ctx
		if len(r.directories.all) > 1 {
			defer time.AfterFunc(startPatience, d.again).Stop() // plan without the directories that were not read by then
		}
	}
	following.Wait()
	<-stopped
	working.Wait()
	for _, d := range r.directories.all {
		d.retry.Stop()
	}
	r.mu.Lock()
	last := r.state.current
	r.mu.Unlock()
	if last != nil {
		last.Release()
	}
	if err := ctx.Err(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// publishResults records the results of jobs, rolls back modules that failed their probation, and
// publishes the next set if anything changed.
func (r *Registry) publishResults(jobs []*job) {
	r.publishNext(func(now time.Time) {
		r.state.checkProbation(now) // first: a bad version that is replaced is banned too
		for _, j := range jobs {
			if r.queue.claim(j) {
				r.state.record(j, now)
			}
		}
	})
}

// publishNext changes the state, and publishes the next set if it differs.
func (r *Registry) publishNext(change func(now time.Time)) {
	r.changing.Lock()
	defer r.changing.Unlock()
	r.mu.Lock()
	change(time.Now())
	modules, bindings, failed, changed := r.state.bind(r.queue.pending())
	r.mu.Unlock()
	if changed {
		r.publish(r.holders.newSet(modules, bindings, failed))
	}
}

// publish makes a set the current one and retires the previous set. r.changing is held, except by
// New.
func (r *Registry) publish(s *Set) {
	r.config.OnSet(s)
	r.mu.Lock()
	before := r.state.current
	r.state.current = s
	r.mu.Unlock()
	if before != nil {
		before.Release()
	}
}

// Ready reports whether the registry was ready once: the modules that served before the restart
// serve again or had their time; without any, each file was loaded, rejected or postponed.
func (r *Registry) Ready() bool { return r.ready.Load() }

// Starting returns the reason why the registry is not ready; nil if it is.
func (r *Registry) Starting() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waits
}

// checkReady records the end of the start, if nothing is waited for any more.
func (r *Registry) checkReady() {
	r.changing.Lock() // a claimed result may not be published yet
	r.mu.Lock()
	now := time.Now()
	r.start.published(r.state.current)
	r.waits = r.start.waitsFor(func(base string) bool { return r.queue.untried(base, r.config.StartGrace) }, now)
	over := r.waits == nil || r.ready.Load()
	if over {
		r.waits = nil
	}
	lost := slices.Sorted(maps.Keys(r.start.before))
	r.mu.Unlock()
	r.changing.Unlock()
	if !over {
		return
	}
	request(r.remember)
	if r.ready.Swap(true) {
		return
	}
	if len(lost) > 0 {
		r.journal.logger.Warn("modules that served before the restart do not serve; the gateway becomes ready without them", "modules", some(lost))
	}
	if r.config.OnReady != nil {
		r.config.OnReady()
	}
}

// request makes the receiver of a channel of size 1 work soon.
func request(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // a request is pending
	}
}

// Status returns the state of every file, sorted by name. The serving modules in it have been
// published. OnSet must not call it.
func (r *Registry) Status() []Status {
	r.changing.Lock()
	defer r.changing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.status(r.queue.pending(), time.Now())
}

// Problem returns the reason why the last scan could not read the module directory; empty if it
// could.
func (r *Registry) Problem() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.problems.String()
}

// eachServing calls a function with each module that serves. The registry's state does not change
// meanwhile.
func (r *Registry) eachServing(do func(*module.Module)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.state.entries {
		if s.serving != nil {
			do(s.serving)
		}
	}
}

// Want moves the waiting modules of a kind before others, because a client has requested their
// conversions. It is fast, and stores nothing for kinds without a waiting module.
func (r *Registry) Want(group, kind string) { r.queue.want(group, kind) }

// Waiting returns the number of modules that wait to be loaded, without those being loaded.
func (r *Registry) Waiting() int { return r.queue.waiting() }

// Loading returns a module of a kind whose new content is being loaded or waits for it, and since
// when that content is known; file is "" if there is none. It ignores content that has failed
// before: then the failure is the message.
func (r *Registry) Loading(group, kind string) (file string, since time.Time) {
	if j := r.queue.loadingOf(group, kind); j != nil {
		return j.name.File, j.since
	}
	return "", time.Time{}
}
