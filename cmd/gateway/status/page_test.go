package status

import (
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// TestPageShowsDeclaredFields: the page shows the declared fields of a module, and nothing for a
// module that sees whole objects.
func TestPageShowsDeclaredFields(t *testing.T) {
	long := strings.Repeat("é", 200)
	tests := []struct {
		name   string
		fields map[string][]string
		want   string
	}{
		{"none declared", nil, ""},
		{"nothing declared", map[string][]string{"v1": {}, "v2": {}}, "v2: nothing; v1: nothing"},
		{"by version", map[string][]string{"v1": {"spec.a"}, "v1beta1": {"spec.b", "spec.c[].d"}}, "v1: spec.a; v1beta1: spec.b, spec.c[].d"},
		{"too many", map[string][]string{"v1": {long}}, "v1: " + long[:296] + "…"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			facts := moduleFacts(runtime.Status{State: runtime.StateServing, Digest: "0123456789abcdef", Fields: test.fields})
			got, _, _ := strings.Cut(facts, " · ")
			if got = strings.TrimPrefix(got, "sees only "); test.fields == nil {
				got = strings.TrimPrefix(got, "size 0 KiB")
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
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
