package serve

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/fair"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
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

// Expect creates the series of every conversion that routes serve before the first review, so that a
// first failure is an increase and not a new series. Those of times and objects, which nobody alerts
// on the first of, come with a review. Call it whenever routes change.
func (m *Metrics) Expect(routes *host.Routes) {
	if routes == nil {
		return
	}
	for _, r := range routes.Table() {
		m.of(pair{r.Group, r.Kind, r.From, r.To})
	}
}

// review counts an answered review.
func (m *Metrics) review(o *host.Outcome, took time.Duration) {
	s := m.of(pair{o.Group, o.Kind, o.From, o.To})
	if o.Failure == "" {
		s.success.Inc()
	} else {
		s.failed.Inc()
		s.failures[o.Failure].Inc()
	}
	w := s.work()
	w.seconds.Observe(took.Seconds())
	w.objects.Add(float64(o.Objects))
	s.totals.add(o, took)
	s.restored.Add(float64(o.Restored))
	s.invalid.Add(float64(o.Invalid))
	s.pruned.Add(float64(o.Pruned))
	s.unchecked.Add(float64(o.Unchecked))
}

// overShare counts a review that waits for others of its kind.
func (m *Metrics) overShare(c fair.Claim) {
	m.overShares.WithLabelValues(m.accountLabel(c.Account)).Inc()
}

// turnAway counts a review that is answered with 429 after its body was read.
func (m *Metrics) turnAway(account, message string) {
	kind := m.accountLabel(account)
	m.turnedAway.WithLabelValues(kind).Inc()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.away[kind] = Totals{Rejected: m.away[kind].Rejected + 1, Busy: foreign.Shorten(message, maxKept)}
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
	for kind, away := range m.away {
		c := Conversion{Kind: kind}
		all[c] = all[c].Plus(away)
	}
	return all
}

// Conversion names a conversion. Kind is <Kind>.<group>, or "none" for kinds that no module
// converts; From and To are empty where the gateway counts several together.
type Conversion struct{ Kind, From, To string }

// reviewTimes are the bounds of buckets of a review's time, in seconds: from a cached answer (well
// below 1 ms) to the 30 s after which the API server gives up.
var reviewTimes = [...]float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20, 30}

// Totals are the numbers of reviews for a conversion since the start. The metrics have more; these
// can be read without a scrape.
type Totals struct {
	Reviews, Failed uint64
	Last            *Failure // the newest; nil if no review failed
	Rejected        uint64   // with 429, which the client repeats; not in Reviews
	Busy            string   // why the last of them was
	Breaking        uint64   // successful ones of which an object breaks its schema
	Violation       string   // the last such object, with the first of its violations

	times [len(reviewTimes) + 1]uint64 // reviews by time: up to each of reviewTimes, and longer
}

// Failure is a review that failed. Message names the object and never quotes its content.
type Failure struct {
	At      time.Time
	Message string // at most maxKept bytes and an ellipsis
	UID     string // of the review, as in the log
}

// maxKept bounds the message of a failure, of which 1,512 pairs each keep one.
const maxKept = 1 << 10

// Plus returns the totals of both.
func (t Totals) Plus(other Totals) Totals {
	for i, n := range other.times {
		t.times[i] += n
	}
	if t.Last == nil || other.Last != nil && other.Last.At.After(t.Last.At) {
		t.Last = other.Last
	}
	t.Breaking, t.Violation = t.Breaking+other.Breaking, cmp.Or(t.Violation, other.Violation)
	t.Reviews, t.Failed, t.Rejected, t.Busy = t.Reviews+other.Reviews, t.Failed+other.Failed, t.Rejected+other.Rejected, cmp.Or(t.Busy, other.Busy)
	return t
}

// Since returns the totals of the reviews after before, which was read earlier. Last stays.
func (t Totals) Since(before Totals) Totals {
	for i, n := range before.times {
		t.times[i] -= n
	}
	t.Reviews, t.Failed, t.Rejected, t.Breaking = t.Reviews-before.Reviews, t.Failed-before.Failed, t.Rejected-before.Rejected, t.Breaking-before.Breaking
	return t
}

// Median returns the time within which half of the reviews were answered, as precise as the buckets
// of the metric; 0 without reviews.
func (t Totals) Median() time.Duration {
	var all uint64
	for _, n := range t.times {
		all += n
	}
	below, from := 0.0, 0.0
	for i, n := range t.times {
		if half := float64(all) / 2; n > 0 && below+float64(n) >= half {
			to := reviewTimes[min(i, len(reviewTimes)-1)]
			return time.Duration((from + (to-from)*(half-below)/float64(n)) * float64(time.Second))
		}
		below += float64(n)
		from = reviewTimes[min(i, len(reviewTimes)-1)]
	}
	return 0
}

// totals count the reviews for a pair. They are safe for concurrent use.
type totals struct {
	reviews, failed, breaking atomic.Uint64

	times [len(reviewTimes) + 1]atomic.Uint64
	last  atomic.Pointer[Failure]
	worst atomic.Pointer[string] // Totals.Violation
}

func (t *totals) add(o *host.Outcome, took time.Duration) {
	bucket, _ := slices.BinarySearch(reviewTimes[:], took.Seconds())
	t.times[bucket].Add(1)
	t.reviews.Add(1)
	if o.Failure != "" {
		t.failed.Add(1)
		t.last.Store(&Failure{time.Now(), foreign.Shorten(o.Message, maxKept), foreign.Shorten(o.UID, 128)})
	} else if o.Violation != "" {
		t.breaking.Add(1)
		violation := foreign.Shorten(o.Violation, maxKept)
		t.worst.Store(&violation)
	}
}

func (t *totals) read() Totals {
	now := Totals{Reviews: t.reviews.Load(), Failed: t.failed.Load(), Last: t.last.Load(), Breaking: t.breaking.Load()}
	if violation := t.worst.Load(); violation != nil {
		now.Violation = *violation
	}
	for i := range t.times {
		now.times[i] = t.times[i].Load()
	}
	return now
}
