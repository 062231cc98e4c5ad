package status

import (
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// TestOverloadedKindIsNotServing: reviews that are told to come back have not failed, and still delay users.
func TestOverloadedKindIsNotServing(t *testing.T) {
	const kind = "CronTab.example.com"
	recent := map[serve.Conversion]serve.Totals{{Kind: kind}: {Rejected: 3, Busy: "the queue is full"}}
	for _, test := range []struct{ before, after statuspage.State }{{statuspage.Good, statuspage.Warn}, {statuspage.Bad, statuspage.Bad}} {
		k := statuspage.Kind{Name: kind, State: test.before}
		enterWork(&k, host.NewRoutes(nil), recent, time.Minute, nil)
		overloaded := k.Status == "overloaded" && k.Trouble == "told to come back (429): 3 reviews, the last: the queue is full"
		if k.State != test.after || overloaded != (test.before == statuspage.Good) || k.Failing || len(k.Conversions) > 0 {
			t.Errorf("%s: %+v", test.before, k)
		}
	}
}

// TestKindThatBreaksItsSchemaIsNotServing: its reviews succeed, and API servers drop fields of the objects.
func TestKindThatBreaksItsSchemaIsNotServing(t *testing.T) {
	const kind = "CronTab.example.com"
	recent := map[serve.Conversion]serve.Totals{{Kind: kind, From: "v1", To: "v2"}: {Reviews: 5, Breaking: 2, Violation: "object 0 (a/b): x: unknown field"}}
	for _, test := range []struct{ before, after statuspage.State }{{statuspage.Good, statuspage.Warn}, {statuspage.Bad, statuspage.Bad}} {
		k := statuspage.Kind{Name: kind, State: test.before}
		enterWork(&k, host.NewRoutes(nil), recent, time.Minute, nil)
		shown := k.Status == "breaks schema" && k.Trouble == "2 of 5 reviews; the last: object 0 (a/b): x: unknown field"
		if k.State != test.after || shown != (test.before == statuspage.Good) {
			t.Errorf("%s: %+v", test.before, k)
		}
	}
}

// TestRefusedDefinitionIsNotCalledChecking: the previous content of the file is checked, the new is not.
func TestRefusedDefinitionIsNotCalledChecking(t *testing.T) {
	if m := definitionView(schemas.Status{State: schemas.StateChecking, LastError: "no YAML"}); m.Status != "file refused" || m.State != statuspage.Warn || m.Trouble != "no YAML" {
		t.Errorf("%+v", m)
	}
}

// TestEveryStatedProofIsShown: a module states a proof with what it carries, or without it.
func TestEveryStatedProofIsShown(t *testing.T) {
	for want, proof := range map[string]module.Proof{
		"states a proof, carries 5 of 10 · calls 0": {Rules: "a", Carries: "5 of 10"},
		"states a proof · calls 0":                  {Rules: "a"},
		"calls 0":                                   {},
	} {
		if got := moduleFacts(runtime.Status{Digest: "a", State: runtime.StateServing, Description: &module.Description{Proof: proof}}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestModuleViewNamesTrouble: the badge of a module says why a module that serves needs attention, and
// the line below it has the cause.
func TestModuleViewNamesTrouble(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		status        runtime.Status
		word, trouble string
	}{
		{runtime.Status{}, "serving", ""},
		{runtime.Status{ProbationUntil: &at}, "on probation", ""},
		{runtime.Status{LastError: "no module"}, "file refused", "the file's newest content is not served: no module"},
		{runtime.Status{LastError: "trap", RolledBackAt: &at}, "rolled back", "the file's newest content is not served: trap"},
		{runtime.Status{ProbationUntil: &at, BreakerOpen: true, LastFault: "trap"}, "breaker open", "circuit breaker open: trap"},
		{runtime.Status{State: runtime.StateSuperseded, Superseded: []string{"v1→v2 by a.wasm"}}, "superseded", "other files serve its conversions: v1→v2 by a.wasm"},
		{runtime.Status{State: runtime.StateOrphaned}, "orphaned", "the file was deleted; the module serves until the gateway restarts"},
	}
	for _, test := range tests {
		if test.status.State == "" {
			test.status.State = runtime.StateServing
		}
		test.status.Digest = "0123456789abcdef"
		if m := moduleView(test.status); m.Status != test.word || m.Trouble != test.trouble {
			t.Errorf("%+v: %q, %q", test.status, m.Status, m.Trouble)
		}
	}
}
