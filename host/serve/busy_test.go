package serve

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// A review that found no free instance is rejected for retry while a repeat still fits into its
// client's time: API servers repeat answers with Retry-After, and show their users all others.
func TestBusyIsPutOff(t *testing.T) {
	const message = "cannot convert object 0 (default/my-cron): all 2 instances of the module were busy"
	outcome := host.Outcome{Failure: faults.Busy, Message: message}
	r := start(t, func(c *ServerConfig) {
		c.Review = func(context.Context, []byte) ([]byte, host.Outcome, error) {
			return []byte(`{"failed":true}`), outcome, nil
		}
	})
	for _, test := range []struct {
		name, query, failure string
		want                 int
	}{
		{"time is left", "?timeout=30s", faults.Busy, 429},
		{"not for the pause", "?timeout=1s", faults.Busy, 200},
		{"a client that may not repeat", "", faults.Busy, 200},
		{"what a repeat does not mend", "?timeout=30s", faults.Breaker, 200},
		{"nor does it this", "?timeout=30s", faults.Deadline, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			outcome.Failure = test.failure
			put, failed := r.rejections(429), testutil.ToFloat64(r.report.metrics.of(pair{}).failed)
			resp, text := r.post(t, "/convert"+test.query)
			switch {
			case resp.StatusCode != test.want:
				t.Errorf("%d %s, want %d", resp.StatusCode, text, test.want)
			case test.want == 429 && (text != message+"\n" || resp.Header.Get("Retry-After") != "1" || resp.Close):
				t.Errorf("%s, Retry-After %q, close %v", text, resp.Header.Get("Retry-After"), resp.Close)
			case test.want == 200 && text != `{"failed":true}`:
				t.Errorf("answered %s", text)
			}
			put, failed = r.rejections(429)-put, testutil.ToFloat64(r.report.metrics.of(pair{}).failed)-failed
			if test.want == 429 && (put != 1 || failed != 0) || test.want == 200 && (put != 0 || failed != 1) {
				t.Errorf("%v counted as rejected and %v as failed", put, failed)
			}
		})
	}
	if !strings.Contains(r.log.String(), message) {
		t.Errorf("the log does not say why: %s", r.log)
	}
}

func TestRepeatFits(t *testing.T) {
	for _, test := range []struct {
		query string
		took  time.Duration
		want  bool
	}{
		{"timeout=30s", 14500 * time.Millisecond, true},
		{"timeout=30s", 14501 * time.Millisecond, false},
		{"timeout=30s", 25 * time.Second, false}, // --review-timeout's default
		{"timeout=10s", 4 * time.Second, true},
		{"timeout=10s", 5 * time.Second, false},
		{"timeout=1s", 0, true},
		{"timeout=999ms", 0, false},
		{"", 0, false},
		{"timeout=soon", 0, false},
		{"timeout=-1s", 0, false},
	} {
		if got := repeatFits(test.query, test.took); got != test.want {
			t.Errorf("%q after %v: %v, want %v", test.query, test.took, got, test.want)
		}
	}
}
