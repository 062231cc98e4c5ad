package status

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

const (
	// minutesKept is the time for which failures make a conversion red. A minute takes about 300
	// bytes for each conversion.
	minutesKept = 5
	// eventPeriod is the interval of looking for changes; several changes within one interval are
	// shown as one.
	eventPeriod = time.Second
	eventsKept  = 50
)

// History has the past of the status page: reviews of the last minutes, and events of modules,
// which it finds by comparing successive statuses. It is safe for concurrent use.
type History struct {
	totals  func() map[serve.Conversion]serve.Totals
	modules func() []runtime.Status

	mu      sync.Mutex
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
	events, samples := time.NewTicker(eventPeriod), time.NewTicker(time.Minute)
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

// sample keeps the totals at the end of a minute.
func (h *History) sample() {
	now := h.totals()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.minutes = newest(minutesKept, append(h.minutes, minute{time.Now(), now}))
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
