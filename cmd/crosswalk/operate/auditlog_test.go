package operate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestReadAudit(t *testing.T) {
	event := func(user, agent, verb, resource, version, at string) string {
		return `{"kind":"Event","apiVersion":"audit.k8s.io/v1","stage":"ResponseComplete","verb":"` + verb + `","user":{"username":"` + user + `"},"userAgent":"` + agent +
			`","objectRef":{"resource":"` + resource + `","apiGroup":"example.com","apiVersion":"` + version + `"},"requestReceivedTimestamp":"` + at + `"}`
	}
	write := func(lines ...string) string {
		file := filepath.Join(t.TempDir(), "audit.log")
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	resource := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "pools"}
	audit, err := readAudit(t.Context(), write(
		event("flux", "kustomize-controller/v1", "patch", "pools", "v1", "2026-01-02T03:04:05.000001Z"),
		event("flux", "kustomize-controller/v1", "get", "pools", "v1", "2026-01-02T03:04:04.000001Z"),
		"",
		event("anna", "kubectl/v1.37", "get", "pools", "v1", "2026-01-02T03:04:06.000001Z"),
		event("anna", "kubectl/v1.37", "get", "pools", "v2", "2026-01-03T03:04:06.000001Z"),
		event("anna", "crosswalk", "list", "pools", "v1", "2026-01-03T03:04:06.000001Z"),
		event("anna", "kubectl/v1.37", "get", "others", "v1", "2026-01-03T03:04:06.000001Z"),
		event("system:serviceaccount:crosswalk-system:crosswalk-controller", "crosswalk-controller", "list", "pools", "v1", "2026-01-03T03:04:06.000001Z"),
		`{"kind":"Event","verb":"get","user":{"username":"anna"}}`,
	), resource)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range audit.Clients {
		got = append(got, c.String())
	}
	const want = "anna (kubectl/v1.37): get, last 2026-01-02T03:04:06Z\nflux (kustomize-controller/v1): get, patch, last 2026-01-02T03:04:05Z"
	if strings.Join(got, "\n") != want {
		t.Errorf("%q", got)
	}
	from, to := time.Date(2026, 1, 2, 3, 4, 4, 1000, time.UTC), time.Date(2026, 1, 3, 3, 4, 6, 1000, time.UTC)
	if audit.Requests != 4 || !audit.First.Equal(from) || !audit.Last.Equal(to) {
		t.Errorf("%d requests from %v to %v", audit.Requests, audit.First, audit.Last)
	}
	for _, text := range []string{"no JSON", `{"kind":"List"}`, `{"kind":"Event","objectRef":1}`} {
		if _, err := readAudit(t.Context(), write(event("a", "b", "get", "pools", "v1", "2026-01-02T03:04:05Z"), text), resource); err == nil || !strings.HasSuffix(err.Error(), ":2: not an audit event in JSON, one a line") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := readAudit(t.Context(), write(strings.Repeat("a", maxEvent+1)), resource); err == nil {
		t.Error("a line of any length is read")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readAudit(ended, write(event("a", "b", "get", "pools", "v1", "2026-01-02T03:04:05Z")), resource); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestReadAuditBoundsClients: a client that sends each request with another user agent, or as another
// user, takes bounded memory and hides no other client.
func TestReadAuditBoundsClients(t *testing.T) {
	resource := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "pools"}
	var log strings.Builder
	event := func(user, agent, verb, at string) {
		fmt.Fprintf(&log, `{"kind":"Event","verb":%q,"user":{"username":%q},"userAgent":%q,"objectRef":{"resource":"pools","apiGroup":"example.com","apiVersion":"v1"},"requestReceivedTimestamp":%q}`+"\n", verb, user, agent, at)
	}
	long := strings.Repeat("a", 1<<10)
	for i := range 2 * maxAgents {
		event("mallory", fmt.Sprint(i, long), "get", "2026-01-02T03:04:05Z")
	}
	event("anna", "kubectl", "get", "2026-01-02T03:04:06Z")
	for i := range 2 * maxVerbs {
		event("verbose", "curl", fmt.Sprint("verb", i), "2026-01-02T03:04:05Z")
	}
	for range 2 {
		event("wordy", "curl", long, "2026-01-02T03:04:05Z")
	}
	for i := range maxClients {
		event(fmt.Sprint("user", i), "x", "get", "2026-01-02T03:04:05Z")
	}
	event("late", "x", "get", "2026-01-02T03:04:07Z")
	file := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(file, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	audit, err := readAudit(t.Context(), file, resource)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2*maxAgents + 1 + 2*maxVerbs + 2 + maxClients + 1; audit.Requests != want {
		t.Errorf("%d requests, want %d", audit.Requests, want)
	}
	if len(audit.Clients) > maxClients+1 {
		t.Errorf("%d clients are kept", len(audit.Clients))
	}
	agents, all := 0, map[string]string{}
	for _, c := range audit.Clients {
		if len(c.Agent) > maxText+len("…") || len(c.Verbs) > maxVerbs {
			t.Errorf("%s: an agent of %d bytes, %d verbs", c.User, len(c.Agent), len(c.Verbs))
		}
		if c.User == "wordy" && (len(c.Verbs) != 1 || len(c.Verbs[0]) > maxText+len("…")) {
			t.Errorf("%d verbs of one request", len(c.Verbs))
		}
		if c.User == "mallory" {
			agents++
		}
		all[c.User] = c.Last.Format(time.TimeOnly)
	}
	if agents != maxAgents+1 || all["anna"] != "03:04:06" || all[otherUsers] != "03:04:07" {
		t.Errorf("%d agents of one user; anna at %q, others at %q", agents, all["anna"], all[otherUsers])
	}
}
