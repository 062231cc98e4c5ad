package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// still is a module that is only ever named.
type still string

func (s still) Name() string              { return string(s) }
func (s still) Digest() string            { return strings.Repeat("0", 64) }
func (still) Fields(_, _ string) []string { return nil }
func (still) Convert(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
	return nil, nil, nil
}

func TestReviewsAreCounted(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry)
	v1v2 := host.Outcome{Group: "example.com", Kind: "CronTab", From: "v1", To: "v2", Objects: 3}
	failed := v1v2
	failed.Failure, failed.Restored = faults.Trap, 2
	m.review(&v1v2, 300*time.Microsecond)
	m.review(&v1v2, 2*time.Millisecond)
	m.review(&failed, time.Second)
	m.review(&host.Outcome{Failure: host.FailureNoRoute, Objects: 1}, time.Millisecond)
	m.review(&host.Outcome{Group: "example.com", Kind: "CronTab", To: "v2", Failure: host.FailureNoRoute}, time.Millisecond)

	want := `
# HELP crosswalk_reviews_total Conversion reviews answered, by kind, versions and result (success or failed). Each failed review is an error that a user sees.
# TYPE crosswalk_reviews_total counter
crosswalk_reviews_total{from="none",group_kind="CronTab.example.com",result="failed",to="v2"} 1
crosswalk_reviews_total{from="none",group_kind="CronTab.example.com",result="success",to="v2"} 0
crosswalk_reviews_total{from="none",group_kind="none",result="failed",to="none"} 1
crosswalk_reviews_total{from="none",group_kind="none",result="success",to="none"} 0
crosswalk_reviews_total{from="v1",group_kind="CronTab.example.com",result="failed",to="v2"} 1
crosswalk_reviews_total{from="v1",group_kind="CronTab.example.com",result="success",to="v2"} 2
# HELP crosswalk_review_objects_total Objects in answered reviews, converted or not, by kind and versions.
# TYPE crosswalk_review_objects_total counter
crosswalk_review_objects_total{from="none",group_kind="CronTab.example.com",to="v2"} 0
crosswalk_review_objects_total{from="none",group_kind="none",to="none"} 1
crosswalk_review_objects_total{from="v1",group_kind="CronTab.example.com",to="v2"} 9
# HELP crosswalk_metadata_restored_objects_total Objects in which a module changed metadata that it must not change. The gateway reverted the change and the review succeeded.
# TYPE crosswalk_metadata_restored_objects_total counter
crosswalk_metadata_restored_objects_total{from="none",group_kind="CronTab.example.com",to="v2"} 0
crosswalk_metadata_restored_objects_total{from="none",group_kind="none",to="none"} 0
crosswalk_metadata_restored_objects_total{from="v1",group_kind="CronTab.example.com",to="v2"} 2
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want),
		"crosswalk_reviews_total", "crosswalk_review_objects_total", "crosswalk_metadata_restored_objects_total"); err != nil {
		t.Error(err)
	}
	for reason, want := range map[string]float64{faults.Trap: 1, host.FailureRefused: 0} {
		if got := testutil.ToFloat64(m.failures.WithLabelValues("CronTab.example.com", reason)); got != want {
			t.Errorf("%v failures by %s, want %v", got, reason, want)
		}
	}
	for _, kind := range []string{"none", "CronTab.example.com"} {
		if got := testutil.ToFloat64(m.failures.WithLabelValues(kind, host.FailureNoRoute)); got != 1 {
			t.Errorf("%s: %v failures without a route, want 1", kind, got)
		}
	}
}

// TestUnknownVersionCountsUnderItsKind: a review for a version that no module knows is a failure of
// its kind, under which operators look for it; the version itself stays out of the labels.
func TestUnknownVersionCountsUnderItsKind(t *testing.T) {
	list := edges(answers("{}"), "v1→v2", "v2→v1")
	const object = `{"apiVersion":"stable.example.com/%s","kind":"CronTab","spec":1}`
	for _, test := range []struct{ name, from, to, wantFrom, wantTo string }{
		{"unknown target", "v1", "v9", "v1", "none"},
		{"unknown source", "v9", "v2", "none", "v2"},
		{"both unknown", "v8", "v9", "none", "none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := NewMetrics(prometheus.NewRegistry())
			outcome := outcomeOf(t, converter(list...), reviewOf("v1", "stable.example.com/"+test.to, fmt.Sprintf(object, test.from)))
			m.review(&outcome, time.Millisecond)
			if got := testutil.ToFloat64(m.reviews.WithLabelValues("CronTab.stable.example.com", test.wantFrom, test.wantTo, "failed")); got != 1 {
				t.Errorf("%v failures of the kind, want 1 (%+v)", got, outcome)
			}
			if got := m.Totals()[Conversion{"CronTab.stable.example.com", strings.TrimPrefix(test.wantFrom, "none"), strings.TrimPrefix(test.wantTo, "none")}].Failed; got != 1 {
				t.Errorf("the status page counts %d failed reviews of the kind, want 1", got)
			}
		})
	}
}

// The series of every route exist before its first review, including a chain of modules.
func TestExpect(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry)
	m.Expect(nil)
	m.Expect(host.NewRoutes([]host.Edge{
		{Group: "example.com", Kind: "CronTab", From: "v1", To: "v2", Module: still("a.wasm")},
		{Group: "example.com", Kind: "CronTab", From: "v2", To: "v3", Module: still("b.wasm")},
	}))
	for metric, want := range map[string]int{
		"crosswalk_reviews_total":                  3 * 2, // v1→v2, v2→v3, v1→v3
		"crosswalk_review_duration_seconds":        0,     // until there is a review
		"crosswalk_review_objects_total":           0,
		"crosswalk_review_failures_total":          len(host.Failures()), // of the kind
		"crosswalk_requests_rejected_total":        len(rejectionCodes),
		"crosswalk_schema_violations_total":        2 * 2, // of v2 and v3
		"crosswalk_schema_unchecked_objects_total": 2,     // likewise
	} {
		if got, err := testutil.GatherAndCount(registry, metric); err != nil || got != want {
			t.Errorf("%s has %d series, want %d (%v)", metric, got, want, err)
		}
	}
}

// However many kinds a cluster has or a request makes up, the number of series is bounded.
func TestSeriesAreBounded(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry)
	for i := range maxPairs + maxKinds + 100 {
		m.review(&host.Outcome{Group: "example.com", Kind: fmt.Sprintf("Kind%d", i), From: "v1", To: "v2"}, time.Millisecond)
	}
	if got, _ := testutil.GatherAndCount(registry, "crosswalk_review_objects_total"); got != maxPairs+maxKinds+1 {
		t.Errorf("%d series, want %d and one for the rest", got, maxPairs+maxKinds)
	}
	if got := testutil.ToFloat64(m.of(pair{}).success); got != 100 {
		t.Errorf("%v reviews counted with the rest, want 100", got)
	}
}

func TestHammerMetrics(t *testing.T) {
	m := NewMetrics(prometheus.NewRegistry())
	var all sync.WaitGroup
	for caller := range 8 {
		all.Go(func() {
			for i := range 500 {
				o := host.Outcome{Group: "example.com", Kind: fmt.Sprintf("Kind%d", i%50), From: "v1", To: fmt.Sprintf("v%d", 2+caller%2), Objects: 1}
				m.review(&o, time.Millisecond)
			}
		})
	}
	all.Wait()
	sum := 0.0
	for p := range m.series {
		sum += testutil.ToFloat64(m.of(p).success)
	}
	if sum != 8*500 {
		t.Errorf("%v reviews counted of %d", sum, 8*500)
	}
}

// TestMetricHelp: every metric has the prefix, and a sentence that describes it.
func TestMetricHelp(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry)
	m.Expect(host.NewRoutes([]host.Edge{{Group: "example.com", Kind: "CronTab", From: "v1", To: "v2", Module: still("a.wasm")}}))
	m.review(&host.Outcome{Group: "example.com", Kind: "CronTab", From: "v1", To: "v2"}, time.Millisecond)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sentence := regexp.MustCompile(`^[0-9A-Z].*\.$`)
	for _, f := range families {
		if !sentence.MatchString(f.GetHelp()) || !strings.HasPrefix(f.GetName(), "crosswalk_") {
			t.Errorf("%s: %s", f.GetName(), f.GetHelp())
		}
	}
	problems, err := testutil.GatherAndLint(registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestServerStateIsRead(t *testing.T) {
	inside, release := make(chan struct{}), make(chan struct{})
	r := start(t, func(c *ServerConfig) {
		c.MaxInFlight = 3
		c.Review = func(context.Context, []byte) ([]byte, host.Outcome, error) {
			close(inside)
			<-release
			return nil, host.Outcome{}, nil
		}
	})
	done := make(chan struct{})
	go func() {
		large := strings.NewReader(goodReview + strings.Repeat(" ", 2*minBuffer))
		r.send(t, r.request(t, http.MethodPost, "/convert", large))
		close(done)
	}()
	<-inside
	size := len(goodReview) + 2*minBuffer
	want := serverState{ready: 1, reviews: 1, reviewsLimit: 3, buffers: 4 * minBuffer, answers: float64(size + size/2), connections: 1}
	if got := (*r.report.metrics.state.Load())(); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	close(release)
	<-done
}

func BenchmarkCountReview(b *testing.B) {
	m := NewMetrics(prometheus.NewRegistry())
	o := host.Outcome{Group: "example.com", Kind: "CronTab", From: "v1", To: "v2", Objects: 1}
	b.ReportAllocs()
	for b.Loop() {
		m.review(&o, time.Millisecond)
	}
}

// TestRejectedReviews: a review counts for its kind only if its body was read.
func TestRejectedReviews(t *testing.T) {
	p := newReport(slog.New(slog.DiscardHandler), NewMetrics(prometheus.NewRegistry()))
	r := httptest.NewRequest(http.MethodPost, "/convert", nil)
	for _, rejected := range []struct {
		status int
		read   bool
	}{{429, false}, {503, true}, {400, true}, {429, true}} {
		p.rejected(r, &rejection{rejected.status, "no"}, "", rejected.read)
	}
	if got := testutil.ToFloat64(p.metrics.turnedAway.WithLabelValues("none")); got != 1 {
		t.Errorf("%v reviews were rejected with 429 after their body was read, want 1", got)
	}
	conversion := Conversion{Kind: "none"}
	before := p.metrics.Totals()[conversion]
	if before.Rejected != 1 || before.Busy != "no" {
		t.Errorf("the totals have %+v, want the review that was told to come back, and why", before)
	}
	p.rejected(r, &rejection{429, "no"}, "", true)
	if now := p.metrics.Totals()[conversion].Since(before); now.Rejected != 1 || now.Reviews != 0 || now.Failed != 0 {
		t.Errorf("since then %+v, want one", now)
	}
}
