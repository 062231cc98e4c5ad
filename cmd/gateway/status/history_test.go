package status

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

func TestHistoryOfModules(t *testing.T) {
	var now []runtime.Status
	h := NewHistory(func() map[serve.Conversion]serve.Totals { return nil }, func() []runtime.Status { return now })
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	earlier, later, latest := at.Add(-time.Hour), at.Add(-time.Minute), at.Add(-time.Second)
	const a, b = "aaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb"
	for _, step := range []struct {
		now  []runtime.Status
		want string // the new event
	}{
		{nil, ""},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: a}}, "good loaded x.wasm aaaaaaaaaaaa"},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: a}}, ""},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: b}}, "good replaced x.wasm aaaaaaaaaaaa → bbbbbbbbbbbb"},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: b, LastError: "broken", FailedDigest: "1"}}, "bad refused x.wasm broken"},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: b, LastError: "broken", FailedDigest: "1"}}, ""},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: b, LastError: "broken", FailedDigest: "2"}}, "bad refused x.wasm broken"},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: b, BreakerOpen: true, LastFault: "trap"}}, "bad circuit breaker open x.wasm trap"},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: b}}, "good circuit breaker closed x.wasm "},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateOrphaned, Digest: b}}, "warn file gone x.wasm the module keeps serving"},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: a, LastError: "worse", LastErrorAt: &earlier, FailedDigest: b, RolledBackAt: &earlier}}, "bad rolled back x.wasm worse"},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: a, ABI: "reactor", Since: &earlier}}, ""},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: a, LastError: "worse", LastErrorAt: &later, FailedDigest: b, RolledBackAt: &earlier}}, "bad refused x.wasm worse"},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: a, ABI: "reactor", Since: &earlier}}, ""},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: a, ABI: "reactor", Since: &later}}, "good replaced x.wasm the same file, another sidecar"},
		{[]runtime.Status{{File: "x.wasm", State: runtime.StateServing, Digest: a, ABI: "reactor", Since: &latest, LastError: "worst", LastErrorAt: &latest, FailedDigest: a, RolledBackAt: &latest}}, "bad rolled back x.wasm worst"},
		{nil, "note taken out x.wasm "},
	} {
		before := len(h.events)
		now, at = step.now, at.Add(time.Second)
		h.observe(at)
		var got []string
		for _, e := range h.events[before:] {
			got = append(got, fmt.Sprintf("%s %s %s %s", e.State, e.What, e.File, e.Why))
		}
		if text := strings.Join(got, "; "); text != step.want {
			t.Errorf("%v: %q, want %q", step.now, text, step.want)
		}
	}
	if newest := h.newestEvents()[0]; newest.What != "taken out" {
		t.Errorf("the newest event is %v", newest)
	}
	for i := range 3 * eventsKept {
		h.add(statuspage.Event{What: fmt.Sprint(i)})
	}
	if n := len(h.newestEvents()); n != eventsKept {
		t.Errorf("%d events are kept", n)
	}
}

// TestHistoryOfReviews: the recent reviews of a conversion leave the history when they are older than
// the minutes that are kept.
func TestHistoryOfReviews(t *testing.T) {
	totals := map[serve.Conversion]serve.Totals{}
	h := NewHistory(func() map[serve.Conversion]serve.Totals { return maps.Clone(totals) }, func() []runtime.Status { return nil })
	a, c := serve.Conversion{Kind: "A.b", From: "v1", To: "v2"}, serve.Conversion{Kind: "C.d", From: "v1", To: "v2"}
	last := &serve.Failure{Message: "broken"}
	totals[a] = serve.Totals{Reviews: 30, Failed: 1, Last: last}
	totals[c] = serve.Totals{Reviews: 1, Failed: 1}
	if recent, _ := h.recent(); recent[a].Reviews != 30 || recent[a].Failed != 1 || recent[c].Failed != 1 {
		t.Errorf("recent: %+v", recent)
	}
	for range minutesKept {
		h.sample()
	}
	totals[c] = serve.Totals{Reviews: 3, Failed: 2}
	if recent, _ := h.recent(); recent[a].Reviews != 0 || recent[a].Failed != 0 || recent[a].Last != last || recent[c].Reviews != 2 || recent[c].Failed != 1 {
		t.Errorf("after some minutes: %+v", recent)
	}
	for range 2 * minutesKept {
		h.sample()
	}
	if len(h.minutes) != minutesKept {
		t.Errorf("%d minutes are kept", len(h.minutes))
	}
}
