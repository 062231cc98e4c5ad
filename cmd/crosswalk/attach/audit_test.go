package attach

import (
	"strings"
	"testing"
	"time"
)

// TestAuditSaysWhatItCovers: an audit log shows that no client uses a version only for the time that
// it covers. A log that is empty or old, or whose policy leaves the objects out, does not look like
// a version that nobody uses.
func TestAuditSaysWhatItCovers(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 1, 2, hour, 0, 0, 0, time.UTC) }
	client := Client{User: "anna", Agent: "kubectl", Verbs: []string{"get", "list"}, Last: at(7)}
	for _, tc := range []struct {
		name  string
		audit Audit
		idle  bool
		want  string
	}{
		{"empty", Audit{File: "a.log"}, false, "a.log: no events"},
		{"another kind", Audit{File: "a.log", First: at(1), Last: at(8)}, true,
			"a.log, 2026-01-02T01:00:00Z to 2026-01-02T08:00:00Z: 0 requests for pools at any version; check that the API server's policy records them"},
		{"another version", Audit{File: "a.log", First: at(1), Last: at(8), Requests: 2}, true,
			"a.log, 2026-01-02T01:00:00Z to 2026-01-02T08:00:00Z: 2 requests for pools, none at v1"},
		{"a client that stopped", Audit{File: "a.log", First: at(1), Last: at(8), Requests: 2, Clients: []Client{client}}, true,
			"a.log, 2026-01-02T01:00:00Z to 2026-01-02T08:00:00Z: 2 requests for pools\nat v1: anna (kubectl): get, list, last 2026-01-02T07:00:00Z"},
		{"the log ends with the client", Audit{File: "a.log", First: at(1), Last: at(7), Requests: 2, Clients: []Client{client}}, false,
			"a.log, 2026-01-02T01:00:00Z to 2026-01-02T07:00:00Z: 2 requests for pools\nat v1: anna (kubectl): get, list, last 2026-01-02T07:00:00Z"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := strings.Join(tc.audit.evidence("pools", "v1"), "\n"); got != tc.want {
				t.Errorf("evidence\n%s, want\n%s", got, tc.want)
			}
			if got := tc.audit.idle(time.Hour); got != tc.idle {
				t.Errorf("idle is %v", got)
			}
		})
	}
}
