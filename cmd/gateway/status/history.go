package status

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

const (
	// samplePeriod and stepsKept cover half an hour.
	samplePeriod = 10 * time.Second
	stepsKept    = 180
	// minutesKept is the time for which failures make a conversion red. A minute takes about 300
	// bytes for each conversion.
	minutesKept = 5
	// eventPeriod is the interval of looking for changes; several changes within one interval are
	// shown as one.
	eventPeriod = time.Second
	eventsKept  = 50
)

// History has the past of the status page: reviews at regular intervals, and events of modules,
// which it finds by comparing successive statuses. It is safe for concurrent use.
type History struct {
	totals  func() map[serve.Conversion]serve.Totals
	modules func() []runtime.Status

	mu      sync.Mutex
	sum     serve.Totals   // of all conversions, at the newest step
	steps   []serve.Totals // the reviews of each samplePeriod, oldest first
	samples int
	minutes []minute // oldest first
	known   map[string]runtime.Status
	events  []statuspage.Event // oldest first
}

// minute has the totals at the end of a minute.
type minute struct {
	at     time.Time
	totals map[serve.Conversion]serve.Totals
}

func NewHistory(totals func() map[serve.Conversion]serve.Totals, modules func() []runtime.Status) *History {
	return &History{totals: totals, modules: modules, minutes: []minute{{time.Now(), totals()}}, known: map[string]runtime.Status{}}
}

// Run takes samples and looks for events until ctx ends.
func (h *History) Run(ctx context.Context) {
	events, samples := time.NewTicker(eventPeriod), time.NewTicker(samplePeriod)
	defer events.Stop()
	defer samples.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-events.C:
			h.observe(now)
		case <-samples.C:
			h.sample()
		}
	}
}

func (h *History) sample() {
	now := h.totals()
	var sum serve.Totals
	for _, t := range now {
		sum = sum.Plus(t)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps = newest(stepsKept, append(h.steps, sum.Since(h.sum)))
	h.sum = sum
	if h.samples++; h.samples%int(time.Minute/samplePeriod) == 0 {
		h.minutes = newest(minutesKept, append(h.minutes, minute{time.Now(), now}))
	}
}

// newest returns the last n of a list.
func newest[T any](n int, of []T) []T { return slices.Delete(of, 0, max(0, len(of)-n)) }

// recent returns the reviews of each conversion in the last four to five minutes, with the newest
// failure since the start, and this period.
func (h *History) recent() (map[serve.Conversion]serve.Totals, time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	recent, first := h.totals(), h.minutes[0] // under the lock, so that no minute is newer
	for c, before := range first.totals {
		recent[c] = recent[c].Since(before)
	}
	return recent, max(time.Since(first.at), time.Second)
}

// observe compares the status of the modules with the previous one and records events.
func (h *History) observe(now time.Time) {
	current := h.modules()
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := map[string]bool{}
	for _, st := range current {
		seen[st.File] = true
		before, known := h.known[st.File]
		h.known[st.File] = st
		h.compare(now, before, st, known)
	}
	for file := range h.known {
		if !seen[file] {
			delete(h.known, file)
			h.add(statuspage.Event{At: now, What: "taken out", File: file, State: statuspage.Note})
		}
	}
}

func (h *History) compare(now time.Time, before, st runtime.Status, known bool) {
	rolledBack := st.RolledBackAt != nil && (before.RolledBackAt == nil || !st.RolledBackAt.Equal(*before.RolledBackAt)) && st.RolledBackAt.Equal(orNow(st.LastErrorAt, now))
	switch {
	case st.Digest != "" && before.Digest == "":
		h.add(statuspage.Event{At: orNow(st.Since, now), What: "loaded", File: st.File, Why: foreign.Digest(st.Digest), State: statuspage.Good})
	case rolledBack || st.Digest == "":
	case st.Digest != before.Digest:
		h.add(statuspage.Event{At: orNow(st.Since, now), What: "replaced", File: st.File, Why: foreign.Digest(before.Digest) + " → " + foreign.Digest(st.Digest), State: statuspage.Good})
	case st.ABI != "" && st.Since != nil && before.Since != nil && !st.Since.Equal(*before.Since): // a module, and not SHA256SUMS
		h.add(statuspage.Event{At: *st.Since, What: "replaced", File: st.File, Why: "the same file, another sidecar", State: statuspage.Good})
	}
	if st.LastError != "" && (!known || st.LastError != before.LastError || st.FailedDigest != before.FailedDigest) {
		event := "refused"
		if rolledBack { // LastError is the reason for the roll back then
			event = "rolled back"
		} else if st.State == runtime.StateOverrun {
			event = "overran"
		}
		h.add(statuspage.Event{At: orNow(st.LastErrorAt, now), What: event, File: st.File, Why: st.LastError, State: statuspage.Bad})
	}
	switch {
	case st.BreakerOpen && !before.BreakerOpen:
		h.add(statuspage.Event{At: now, What: "circuit breaker open", File: st.File, Why: st.LastFault, State: statuspage.Bad})
	case known && before.BreakerOpen && !st.BreakerOpen:
		h.add(statuspage.Event{At: now, What: "circuit breaker closed", File: st.File, State: statuspage.Good})
	}
	if known && st.State == runtime.StateOrphaned && before.State != runtime.StateOrphaned {
		h.add(statuspage.Event{At: now, What: "file gone", File: st.File, Why: "the module keeps serving", State: statuspage.Warn})
	}
}

func (h *History) add(e statuspage.Event) { h.events = newest(eventsKept, append(h.events, e)) }

// newestEvents returns the events, newest first.
func (h *History) newestEvents() []statuspage.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	events := slices.Clone(h.events)
	slices.Reverse(events)
	slices.SortStableFunc(events, func(a, b statuspage.Event) int { return b.At.Compare(a.At) })
	return events
}

func orNow(t *time.Time, now time.Time) time.Time {
	if t == nil {
		return now
	}
	return *t
}

// trends returns the trends of the whole gateway, in the form of the page.
func (h *History) trends() []statuspage.Trend {
	h.mu.Lock()
	steps := slices.Clone(h.steps)
	h.mu.Unlock()
	window := lasting(time.Duration(len(steps)) * samplePeriod)
	trend := func(name, unit string, bad bool, of func(serve.Totals) float64) statuspage.Trend {
		t := statuspage.Trend{Name: name, Now: "–", Unit: unit, Window: window, Bad: bad}
		for _, s := range steps {
			t.Values = append(t.Values, of(s))
		}
		if n := len(steps); n > 0 {
			t.Now = fmt.Sprintf("%.3g %s", t.Values[n-1], unit)
		}
		return t
	}
	seconds := samplePeriod.Seconds()
	return []statuspage.Trend{
		trend("reviews", "/s", false, func(s serve.Totals) float64 { return float64(s.Reviews) / seconds }),
		trend("objects", "/s", false, func(s serve.Totals) float64 { return float64(s.Objects) / seconds }),
		trend("half of the reviews within", "ms", false, func(s serve.Totals) float64 { return s.Median().Seconds() * 1000 }),
		trend("failed reviews", "/s", true, func(s serve.Totals) float64 { return float64(s.Failed) / seconds }),
	}
}

// lasting is the period of trends in words: "last 40 s", "last 15 min".
func lasting(d time.Duration) string {
	if d == 0 {
		return fmt.Sprintf("after the first %d s", int(samplePeriod.Seconds()))
	}
	if d < 2*time.Minute {
		return fmt.Sprintf("last %d s", int(d.Seconds()))
	}
	return fmt.Sprintf("last %d min", int(d.Minutes()))
}
