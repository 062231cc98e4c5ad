package serve

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// TestTotals: the totals of a conversion have its newest failure and the median of its times, also
// between two readings.
func TestTotals(t *testing.T) {
	m := NewMetrics(prometheus.NewRegistry())
	forth, back, none := Conversion{"A.b", "v1", "v2"}, Conversion{"A.b", "v2", "v1"}, Conversion{Kind: "none"}
	m.review(&host.Outcome{Group: "b", Kind: "A", From: "v1", To: "v2", Objects: 3}, time.Second)
	m.review(&host.Outcome{Group: "b", Kind: "A", From: "v2", To: "v1", Objects: 1, Failure: faults.Trap, Message: "older"}, 2*time.Second)
	before := m.Totals()
	m.review(&host.Outcome{Group: "b", Kind: "A", From: "v2", To: "v1", Objects: 1, Failure: faults.Trap, Message: strings.Repeat("x", 2*maxKept), UID: "u"}, time.Millisecond)
	m.review(&host.Outcome{Objects: 2, Failure: host.FailureNoRoute}, time.Second)
	all := m.Totals()
	for _, test := range []struct {
		name   string
		got    Totals
		want   string
		median time.Duration
	}{
		{"one", all[forth], "1 reviews, 0 failed", 750 * time.Millisecond},
		{"the other way", all[back], "2 reviews, 2 failed", time.Millisecond},
		{"since", all[back].Since(before[back]), "1 reviews, 1 failed", 750 * time.Microsecond},
		{"both", all[forth].Plus(all[back]), "3 reviews, 2 failed", 750 * time.Millisecond},
		{"no module", all[none], "1 reviews, 1 failed", 750 * time.Millisecond},
		{"nothing", Totals{}, "0 reviews, 0 failed", 0},
	} {
		got := fmt.Sprintf("%d reviews, %d failed", test.got.Reviews, test.got.Failed)
		if got != test.want || test.got.Median() != test.median {
			t.Errorf("%s: %s, half of them within %v, want %s, %v", test.name, got, test.got.Median(), test.want, test.median)
		}
	}
	if last := all[back].Plus(all[forth]).Last; last == nil || last.Message != strings.Repeat("x", maxKept)+"…" || last.UID != "u" || all[forth].Last != nil {
		t.Errorf("the last failure: %+v", last)
	}
}

// TestManyVersionsHideNoKind: after one kind's conversions have taken all series, another kind's failures
// are still counted as its own.
func TestManyVersionsHideNoKind(t *testing.T) {
	m := NewMetrics(prometheus.NewRegistry())
	review := func(kind, from, to, failure string) {
		m.review(&host.Outcome{Group: "example.com", Kind: kind, From: from, To: to, Failure: failure}, time.Millisecond)
	}
	for i := range 2 * maxPairs {
		review("Hostile", fmt.Sprint("v", i), "v0", "")
	}
	review("Good", "v1", "v2", faults.Trap)
	review("Good", "v2", "v1", faults.Trap)
	if got := testutil.ToFloat64(m.failures.WithLabelValues("Good.example.com", faults.Trap)); got != 2 {
		t.Errorf("%v failures of the other kind are counted, want 2", got)
	}
	if got := m.Totals()[Conversion{Kind: "Good.example.com"}].Failed; got != 2 {
		t.Errorf("the status page knows %d failed reviews of the other kind, want 2", got)
	}
	if got := m.accountLabel("Good.example.com"); got != "Good.example.com" {
		t.Errorf("the other kind's reviews over its share are counted as those of %s", got)
	}
}

// TestSeriesOfAnIdleKind bounds the series of a kind with two versions that has no reviews. They were 140.
func TestSeriesOfAnIdleKind(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry)
	before, _ := testutil.GatherAndCount(registry)
	m.Expect(host.NewRoutes([]host.Edge{
		{Group: "example.com", Kind: "CronTab", From: "v1", To: "v2", Module: still("a.wasm")},
		{Group: "example.com", Kind: "CronTab", From: "v2", To: "v1", Module: still("a.wasm")},
	}))
	after, err := testutil.GatherAndCount(registry)
	if err != nil || after-before > 45 {
		t.Errorf("a kind without reviews has %d series, want at most 45 (%v)", after-before, err)
	}
}
