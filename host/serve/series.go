package serve

import (
	"cmp"
	"slices"
	"sync"
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
	work            func() work // made at the first review: most pairs never have one
	restored        prometheus.Counter
	invalid, pruned prometheus.Counter
	unchecked       prometheus.Counter
	failures        map[string]prometheus.Counter // by reason
	totals          totals
}

// work are the series of a pair that had a review.
type work struct {
	seconds prometheus.Observer
	objects prometheus.Counter
}

// maxPairs bounds the number of series: 50 kinds of five versions, each direction, are 1,000 pairs
// of some thirty series. The further pairs of a kind are counted together, for at most maxKinds kinds:
// otherwise a few modules of 16 versions each would hide the failures of all kinds that come later.
// Those of more kinds, which files of new names can make, are counted with reviews without a route.
const (
	maxPairs = 1000
	maxKinds = 512
)

// Expect creates the series of every conversion that routes serve, and of every module in them,
// before the first review, so that a first failure is an increase and not a new series. Those of times
// and objects, which nobody alerts on the first of, come with a review. It deletes
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
	w := s.work()
	w.seconds.Observe(took.Seconds())
	w.objects.Add(float64(o.Objects))
	s.totals.add(o, took)
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
	if !m.kinds[account] {
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
		success: m.reviews.WithLabelValues(groupKind, from, to, "success"),
		failed:  m.reviews.WithLabelValues(groupKind, from, to, "failed"),
		work: sync.OnceValue(func() work {
			return work{m.duration.WithLabelValues(groupKind, from, to), m.objects.WithLabelValues(groupKind, from, to)}
		}),
		restored: m.restored.WithLabelValues(groupKind, from, to),
		invalid:  m.violations.WithLabelValues(groupKind, to, "invalid"),
		pruned:   m.violations.WithLabelValues(groupKind, to, "pruned"),

		unchecked: m.unchecked.WithLabelValues(groupKind, to),
		failures:  map[string]prometheus.Counter{},
	}
	for _, reason := range host.Failures() {
		s.failures[reason] = m.failures.WithLabelValues(groupKind, reason)
	}
	m.overShares.WithLabelValues(groupKind)
	m.turnedAway.WithLabelValues(groupKind)
	m.kinds[groupKind] = true
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

// Totals returns the totals of every conversion that a review was for or could be for.
func (m *Metrics) Totals() map[Conversion]Totals {
	m.mu.RLock()
	defer m.mu.RUnlock()
	all := make(map[Conversion]Totals, len(m.series))
	for p, s := range m.series {
		c := Conversion{p.kind + "." + p.group, p.from, p.to}
		if p.kind == "" {
			c = Conversion{Kind: "none"}
		}
		all[c] = s.totals.read()
	}
	return all
}
