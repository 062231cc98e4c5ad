package serve

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/fair"
)

// pair is the label values of a review: a kind and the two versions. A version that no module of
// the kind knows is empty; the zero pair stands for all unknown kinds.
type pair struct{ group, kind, from, to string }

// series are one pair's metrics, looked up once because four label values cost more to hash than
// one map key.
type series struct {
	success, failed prometheus.Counter
	seconds         prometheus.Observer
	objects         prometheus.Counter
	restored        prometheus.Counter
	invalid, pruned prometheus.Counter
	unchecked       prometheus.Counter
	failures        map[string]prometheus.Counter // by reason
	totals          *totals                       // of the kind
}

// maxPairs bounds the number of series: 50 kinds of five versions, each direction, are 1,000 pairs
// of some forty series. The further pairs of a kind are counted together, for at most maxKinds kinds:
// otherwise a few modules of 16 versions each would hide the failures of all kinds that come later.
// Those of more kinds, which files of new names can make, are counted with reviews without a route.
const (
	maxPairs = 1000
	maxKinds = 512
)

// Expect creates the series of every conversion that routes serve, and of every module in them,
// before the first review, so that a first failure is an increase and not a new series. It deletes
// the series of modules that are not in routes any more. Call it whenever routes change.
func (m *Metrics) Expect(routes *host.Routes) {
	if routes == nil {
		return
	}
	modules := map[string]bool{}
	for _, r := range routes.Table() {
		for _, module := range r.Modules {
			modules[module] = true
		}
		m.of(pair{r.Group, r.Kind, r.From, r.To})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for module := range modules {
		for _, reason := range moduleReasons() {
			m.moduleFailures.WithLabelValues(module, reason)
		}
	}
	for module := range m.modules {
		if !modules[module] {
			m.moduleFailures.DeletePartialMatch(prometheus.Labels{"module": module})
		}
	}
	m.modules = modules
}

// moduleReasons are the reasons of failures for which a module is named.
func moduleReasons() []string {
	return slices.DeleteFunc(host.Failures(), func(reason string) bool { return reason == host.FailureInvalid || reason == host.FailureNoRoute })
}

// review counts an answered review.
func (m *Metrics) review(o *host.Outcome, took time.Duration, requestBytes, responseBytes int) {
	s := m.of(pair{o.Group, o.Kind, o.From, o.To})
	if o.Failure == "" {
		s.success.Inc()
	} else {
		s.failed.Inc()
		s.failures[o.Failure].Inc()
		m.moduleFailed(o)
	}
	s.seconds.Observe(took.Seconds())
	s.totals.add(o, took)
	s.objects.Add(float64(o.Objects))
	s.restored.Add(float64(o.Restored))
	s.invalid.Add(float64(o.Invalid))
	s.pruned.Add(float64(o.Pruned))
	s.unchecked.Add(float64(o.Unchecked))
	m.requestBytes.Observe(float64(requestBytes))
	m.responseBytes.Observe(float64(responseBytes))
}

// overShare counts a review that waits for others of its kind.
func (m *Metrics) overShare(c fair.Claim) {
	m.overShares.WithLabelValues(m.accountLabel(c.Account)).Inc()
}

// accountLabel is the label of an account: a kind that has series, or none for all others.
func (m *Metrics) accountLabel(account string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.totals[account] == nil {
		return "none"
	}
	return account
}

// moduleFailed counts a failure caused by the module. It does not count a module that no longer
// serves, because its series would stay for ever.
func (m *Metrics) moduleFailed(o *host.Outcome) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.modules[o.Module] {
		m.moduleFailures.WithLabelValues(o.Module, o.Failure).Inc()
	}
}

// of finds or makes the series of a pair.
func (m *Metrics) of(p pair) *series {
	m.mu.RLock()
	s := m.series[p]
	m.mu.RUnlock()
	if s != nil {
		return s
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if p = m.room(p); m.series[p] != nil {
		return m.series[p]
	}
	groupKind, from, to := "none", "none", "none" // an empty label value would be the same as no label
	if p.kind != "" {
		groupKind, from, to = p.kind+"."+p.group, cmp.Or(p.from, from), cmp.Or(p.to, to)
	}
	s = &series{
		success:  m.reviews.WithLabelValues(groupKind, from, to, "success"),
		failed:   m.reviews.WithLabelValues(groupKind, from, to, "failed"),
		seconds:  m.duration.WithLabelValues(groupKind, from, to),
		objects:  m.objects.WithLabelValues(groupKind, from, to),
		restored: m.restored.WithLabelValues(groupKind, from, to),
		invalid:  m.violations.WithLabelValues(groupKind, to, "invalid"),
		pruned:   m.violations.WithLabelValues(groupKind, to, "pruned"),

		unchecked: m.unchecked.WithLabelValues(groupKind, to),
		failures:  map[string]prometheus.Counter{},
	}
	for _, reason := range host.Failures() {
		s.failures[reason] = m.failures.WithLabelValues(groupKind, from, to, reason)
	}
	m.overShares.WithLabelValues(groupKind)
	m.turnedAway.WithLabelValues(groupKind)
	if s.totals = m.totals[groupKind]; s.totals == nil {
		s.totals = &totals{}
		m.totals[groupKind] = s.totals
	}
	m.series[p] = s
	return s
}

// room returns the pair under which a pair without series is counted: itself, all pairs of its kind, or
// all of unknown kinds. m.mu is held.
func (m *Metrics) room(p pair) pair {
	whole := pair{group: p.group, kind: p.kind}
	switch {
	case m.series[p] != nil || p == pair{} || len(m.series)-m.wholes < maxPairs:
		return p
	case m.series[whole] != nil:
		return whole
	case m.wholes < maxKinds:
		m.wholes++
		return whole
	}
	return pair{}
}

// Totals are the numbers of reviews of one kind since the start. The metrics have more; these can
// be read without a scrape.
type Totals struct {
	Reviews, Failed, Objects uint64
	Time                     time.Duration // of all reviews together
}

type totals struct{ reviews, failed, objects, nanoseconds atomic.Uint64 }

func (t *totals) add(o *host.Outcome, took time.Duration) {
	t.reviews.Add(1)
	if o.Failure != "" {
		t.failed.Add(1)
	}
	t.objects.Add(uint64(o.Objects))
	t.nanoseconds.Add(uint64(took))
}

// Totals returns the totals of every kind, <Kind>.<group>, that a review was for or could be for;
// reviews that no module converts are under "none".
func (m *Metrics) Totals() map[string]Totals {
	m.mu.RLock()
	defer m.mu.RUnlock()
	all := make(map[string]Totals, len(m.totals))
	for kind, t := range m.totals {
		all[kind] = Totals{t.reviews.Load(), t.failed.Load(), t.objects.Load(), time.Duration(t.nanoseconds.Load())}
	}
	return all
}
