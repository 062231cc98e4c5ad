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
	// samplePeriod and samplesKept cover half an hour, at about 200 bytes per kind and sample.
	samplePeriod = 10 * time.Second
	samplesKept  = 180
	// eventPeriod is the interval of looking for changes; several changes within one interval are
	// shown as one.
	eventPeriod = time.Second
	eventsKept  = 50
)

// History has the past of the status page: totals of reviews at regular intervals, and events of
// modules, which it finds by comparing successive statuses. It is safe for concurrent use.
type History struct {
	totals  func() map[string]serve.Totals
	modules func() []runtime.Status

	mu      sync.Mutex
	samples []map[string]serve.Totals // oldest first
	known   map[string]runtime.Status
	events  []statuspage.Event // oldest first
}

func NewHistory(totals func() map[string]serve.Totals, modules func() []runtime.Status) *History {
	return &History{totals: totals, modules: modules, samples: []map[string]serve.Totals{totals()}, known: map[string]runtime.Status{}}
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
	h.mu.Lock()
	defer h.mu.Unlock()
	h.samples = append(h.samples, now)
	if len(h.samples) > samplesKept+1 { // n steps need n+1 samples
		h.samples = slices.Delete(h.samples, 0, 1)
	}
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

func (h *History) add(e statuspage.Event) {
	h.events = append(h.events, e)
	if len(h.events) > eventsKept {
		h.events = slices.Delete(h.events, 0, 1)
	}
}

// recent returns the events, newest first.
func (h *History) recent() []statuspage.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	events := slices.Clone(h.events)
	slices.Reverse(events)
	slices.SortStableFunc(events, func(a, b statuspage.Event) int { return b.At.Compare(a.At) })
	return events
}

// step has the reviews of one samplePeriod.
type step struct{ reviews, failed, objects, seconds float64 }

// steps returns the steps of one kind, or of all kinds if kind is empty, oldest first.
func (h *History) steps(kind string) []step {
	h.mu.Lock()
	defer h.mu.Unlock()
	var steps []step
	for i := 1; i < len(h.samples); i++ {
		before, after := sum(h.samples[i-1], kind), sum(h.samples[i], kind)
		steps = append(steps, step{
			float64(after.Reviews - before.Reviews), float64(after.Failed - before.Failed), float64(after.Objects - before.Objects),
			(after.Time - before.Time).Seconds(),
		})
	}
	return steps
}

func sum(of map[string]serve.Totals, kind string) (t serve.Totals) {
	if kind != "" {
		return of[kind]
	}
	for _, k := range of {
		t.Reviews += k.Reviews
		t.Failed += k.Failed
		t.Objects += k.Objects
		t.Time += k.Time
	}
	return t
}

func orNow(t *time.Time, now time.Time) time.Time {
	if t == nil {
		return now
	}
	return *t
}
