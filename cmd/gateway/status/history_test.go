package status

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

func TestHistoryOfModules(t *testing.T) {
	var now []runtime.Status
	h := NewHistory(func() map[string]serve.Totals { return nil }, func() []runtime.Status { return now })
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
	if newest := h.recent()[0]; newest.What != "taken out" {
		t.Errorf("the newest event is %v", newest)
	}
	for i := range 3 * eventsKept {
		h.add(statuspage.Event{What: fmt.Sprint(i)})
	}
	if n := len(h.recent()); n != eventsKept {
		t.Errorf("%d events are kept", n)
	}
}

func TestHistoryOfReviews(t *testing.T) {
	totals := map[string]serve.Totals{}
	h := NewHistory(func() map[string]serve.Totals {
		copied := map[string]serve.Totals{}
		for k, v := range totals {
			copied[k] = v
		}
		return copied
	}, func() []runtime.Status { return nil })
	totals["A.b"] = serve.Totals{Reviews: 20, Failed: 1, Objects: 40, Time: 10 * time.Millisecond}
	h.sample()
	totals["A.b"] = serve.Totals{Reviews: 30, Failed: 1, Objects: 50, Time: 30 * time.Millisecond}
	totals["C.d"] = serve.Totals{Reviews: 1, Failed: 1, Objects: 1, Time: 30 * time.Millisecond}
	h.sample()
	if got, want := h.steps("A.b"), []step{{20, 1, 40, 0.01}, {10, 0, 10, 0.02}}; !reflect.DeepEqual(got, want) {
		t.Errorf("A.b: %v, want %v", got, want)
	}
	if got, want := h.steps("")[1], (step{11, 1, 11, 0.05}); got != want {
		t.Errorf("all: %v, want %v", got, want)
	}
	early, quiet := trends(nil, true), trends([]step{{}}, true)
	if early[0].Now != "–" || early[0].Window != "after the first 10 s" || quiet[0].Now != "0 /s" || quiet[2].Now != "–" {
		t.Errorf("before anything is known %+v, of nothing %+v", early, quiet)
	}
	trends := trends(h.steps("A.b"), true)
	if got := trends[2]; got.Now != "2 ms" || !reflect.DeepEqual(got.Values, []float64{0.5, 2}) || got.Window != "last 20 s" {
		t.Errorf("the time of a review: %+v", got)
	}
	if trends[0].Now != "1 /s" || trends[3].Now != "0 /s" || !trends[3].Bad {
		t.Errorf("trends: %+v", trends)
	}
	for range 2 * samplesKept {
		h.sample()
	}
	if n := len(h.steps("")); n != samplesKept {
		t.Errorf("%d steps are kept", n)
	}
}
