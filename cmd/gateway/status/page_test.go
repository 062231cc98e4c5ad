package status

import (
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

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
