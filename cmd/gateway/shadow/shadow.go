// Package shadow runs shadow modules on a sample of live conversions, compares their results with
// those of the serving modules, and discards them.
package shadow

import (
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
)

const (
	// queueLength bounds the samples in the queue: enough for the burst of one list.
	queueLength = 64
	// queueBytes bounds the bytes of their objects, before and after: two of the largest, or all 64
	// of a common size.
	queueBytes = 16 << 20
	// pauseFactor times its duration is the pause after each run, so that all runs together take a
	// tenth of one CPU.
	pauseFactor = 9
)

// Config configures a Shadow. All fields but Logger are required.
type Config struct {
	// Share is the fraction of conversions, from 0 to 1, that the shadow modules repeat.
	Share float64
	// Review converts with the shadow modules: it is the Review method of their host.Converter.
	Review func(ctx context.Context, body []byte) ([]byte, host.Outcome, error)
	// Logger gets a line for the first difference and the first failure of each shadow module. Nil
	// disables logging.
	Logger *slog.Logger
	// Registerer gets the package's metrics.
	Registerer prometheus.Registerer
}

// Shadow is a host.Mirror. Its methods may be called from any goroutine; Run is called once.
type Shadow struct {
	cfg    Config
	total  *prometheus.CounterVec
	queue  chan *sample
	queued atomic.Int64 // bytes in the queue

	all atomic.Pointer[map[step]*results] // never changed once stored
	mu  sync.Mutex                        // held while all is replaced
}

// step is one direction of a conversion, between bare versions.
type step struct{ group, kind, from, to string }

// sample is a conversion to repeat.
type sample struct {
	results       *results
	before, after []byte // after is nil if the serving module refused the object
}

// New returns a Shadow without modules.
func New(cfg Config) *Shadow {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Shadow{cfg: cfg, queue: make(chan *sample, queueLength), total: newMetric()}
	s.all.Store(&map[step]*results{})
	cfg.Registerer.MustRegister(s.total)
	return s
}

// Follow replaces the conversions of the shadow modules. It keeps the results of modules that stay.
func (s *Shadow) Follow(edges []host.Edge) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, next := *s.all.Load(), map[step]*results{}
	for _, e := range edges {
		at := step{e.Group, e.Kind, e.From, e.To}
		id := moduleID{e.Module.Name(), e.Module.Digest()}
		if r := before[at]; r != nil && r.module == id {
			next[at] = r
			continue
		}
		next[at] = s.newResults(at, id, moduleID{})
	}
	for at, r := range before {
		if now := next[at]; now == nil || now.module.file != r.module.file {
			s.total.DeletePartialMatch(prometheus.Labels{"module": r.module.file, "group_kind": at.groupKind(), "from": at.from, "to": at.to})
		}
	}
	s.all.Store(&next)
}

func (s step) groupKind() string { return s.kind + "." + s.group }

// Listener returns the results of the shadow module for a step, or nil. They begin anew if another
// module serves the step than before. It implements host.Mirror.
func (s *Shadow) Listener(group, kind, from, to string, by host.Module) host.Listener {
	r := (*s.all.Load())[step{group, kind, from, to}]
	if r == nil {
		return nil
	}
	if serves := (moduleID{by.Name(), by.Digest()}); r.against != serves {
		if r = s.compareWith(r.step, serves); r == nil {
			return nil
		}
	}
	return r
}

// compareWith begins new results for the shadow module of a step, compared with a serving module.
// It returns nil if the shadow module is gone.
func (s *Shadow) compareWith(at step, serves moduleID) *results {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := *s.all.Load()
	r := before[at]
	if r == nil || r.against == serves {
		return r
	}
	next := maps.Clone(before)
	next[at] = s.newResults(at, r.module, serves)
	s.all.Store(&next)
	return next[at]
}

// Wants samples conversions at random, if the queue has room. It implements host.Listener.
func (r *results) Wants(size int) bool {
	s := r.shadow
	if rand.Float64() >= s.cfg.Share {
		return false
	}
	if len(s.queue) == cap(s.queue) || s.queued.Load()+2*int64(size) > queueBytes {
		r.drop()
		return false
	}
	return true
}

// Converted queues a conversion to be repeated, or drops it. It implements host.Listener.
func (r *results) Converted(before, after []byte) {
	s, t := r.shadow, &sample{r, before, after}
	if s.queued.Add(t.bytes()) > queueBytes {
		s.queued.Add(-t.bytes())
		r.drop()
		return
	}
	select {
	case s.queue <- t:
	default:
		s.queued.Add(-t.bytes())
		r.drop()
	}
}

func (t *sample) bytes() int64 { return int64(len(t.before) + len(t.after)) }

// Run repeats conversions, one at a time and with long pauses, until ctx ends.
func (s *Shadow) Run(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
		select {
		case t := <-s.queue:
			began := time.Now()
			s.runSample(ctx, t)
			s.queued.Add(-t.bytes())
			pause.Reset(pauseFactor * time.Since(began))
		case <-ctx.Done():
			return
		}
	}
}
