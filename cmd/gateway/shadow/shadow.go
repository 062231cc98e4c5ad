// Package shadow tries candidates, modules that answer nobody, on a share of what the modules that serve convert, and says where their
// answers differ.
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
	// queueLength is the most conversions that wait to be repeated: enough for the bursts that a list makes.
	queueLength = 64
	// queueBytes is the most bytes of their objects, before and after: two of the largest, or all 64 of a common size.
	queueBytes = 16 << 20
	// restFactor is how many times as long as a trial took the worker rests before the next: so all trials together take a tenth of
	// one processor.
	restFactor = 9
)

// Config says what a Shadow works with. All fields but Logger are required.
type Config struct {
	// Share is the share of conversions, from 0 to 1, that are repeated.
	Share float64
	// Review converts by candidates: the Review method of a host.Converter whose modules are the candidates.
	Review func(ctx context.Context, body []byte) ([]byte, host.Outcome, *host.RequestError)
	// Logger gets a line for the first difference and the first failure of each candidate. Nil means none.
	Logger *slog.Logger
	// Registerer gets the package's metrics.
	Registerer prometheus.Registerer
}

// Shadow is a host.Mirror. Its methods may be called from any goroutine; Run is called once.
type Shadow struct {
	cfg    Config
	total  *prometheus.CounterVec
	queue  chan *trial
	queued atomic.Int64 // bytes in it

	candidates atomic.Pointer[map[step]*results]
	mu         sync.Mutex // guards the exchange of candidates
}

// step is one direction of a conversion, between bare versions.
type step struct{ group, kind, from, to string }

// trial is a conversion that is to be repeated.
type trial struct {
	results       *results
	before, after []byte // after is nil if the module that serves refused the object
}

// New makes a Shadow without candidates.
func New(cfg Config) *Shadow {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Shadow{cfg: cfg, queue: make(chan *trial, queueLength), total: newMetric()}
	s.candidates.Store(&map[step]*results{})
	cfg.Registerer.MustRegister(s.total)
	return s
}

func newMetric() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "crosswalk_shadow_conversions_total",
		Help: "Sampled conversions repeated by modules in --shadow-modules, by result: same, different, failed, or dropped because shadow modules did not keep up.",
	}, []string{"module", "group_kind", "from", "to", "result"})
}

// Follow makes edges those that are tried from now on. What is known of candidates that are the same as before is kept.
func (s *Shadow) Follow(edges []host.Edge) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, next := *s.candidates.Load(), map[step]*results{}
	for _, e := range edges {
		at := step{e.Group, e.Kind, e.From, e.To}
		candidate := module{e.Module.Name(), e.Module.Digest()}
		if r := before[at]; r != nil && r.candidate == candidate {
			next[at] = r
			continue
		}
		next[at] = s.newResults(at, candidate, module{})
	}
	for at, r := range before {
		if now := next[at]; now == nil || now.candidate.file != r.candidate.file {
			s.total.DeletePartialMatch(prometheus.Labels{"module": r.candidate.file, "group_kind": at.groupKind(), "from": at.from, "to": at.to})
		}
	}
	s.candidates.Store(&next)
}

func (s step) groupKind() string { return s.kind + "." + s.group }

// Listener returns who repeats conversions along a step: the candidate for it, if there is one. What was learned in comparison with
// another module than the one that serves now is forgotten.
func (s *Shadow) Listener(group, kind, from, to string, by host.Module) host.Listener {
	r := (*s.candidates.Load())[step{group, kind, from, to}]
	if r == nil {
		return nil
	}
	if serves := (module{by.Name(), by.Digest()}); r.against != serves {
		if r = s.compareWith(r.step, serves); r == nil {
			return nil
		}
	}
	return r
}

// compareWith has the candidate of a step begin anew, in comparison with a module. It returns nil if the candidate has gone.
func (s *Shadow) compareWith(at step, serves module) *results {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := *s.candidates.Load()
	r := before[at]
	if r == nil || r.against == serves {
		return r
	}
	next := maps.Clone(before)
	next[at] = s.newResults(at, r.candidate, serves)
	s.candidates.Store(&next)
	return next[at]
}

// Wants draws lots, and sees whether there is room. It implements host.Listener.
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

// Converted has a conversion repeated when there is time, or dropped. It implements host.Listener.
func (r *results) Converted(before, after []byte) {
	s, t := r.shadow, &trial{r, before, after}
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

func (t *trial) bytes() int64 { return int64(len(t.before) + len(t.after)) }

// Run repeats conversions, one at a time and with long rests, until ctx ends.
func (s *Shadow) Run(ctx context.Context) {
	rest := time.NewTimer(0)
	defer rest.Stop()
	for {
		select {
		case <-rest.C:
		case <-ctx.Done():
			return
		}
		select {
		case t := <-s.queue:
			began := time.Now()
			s.try(ctx, t)
			s.queued.Add(-t.bytes())
			rest.Reset(restFactor * time.Since(began))
		case <-ctx.Done():
			return
		}
	}
}
