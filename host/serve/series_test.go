package serve

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

func TestTotals(t *testing.T) {
	m := NewMetrics(prometheus.NewRegistry())
	m.review(&host.Outcome{Group: "b", Kind: "A", From: "v1", To: "v2", Objects: 3}, time.Second, 1, 1)
	m.review(&host.Outcome{Group: "b", Kind: "A", From: "v2", To: "v1", Objects: 1, Failure: faults.Trap}, 2*time.Second, 1, 1)
	m.review(&host.Outcome{Objects: 2, Failure: host.FailureNoRoute}, time.Second, 1, 1)
	want := map[string]Totals{"A.b": {2, 1, 4, 3 * time.Second}, "none": {1, 1, 2, time.Second}}
	if got := m.Totals(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestManyVersionsHideNoKind: after one kind's conversions have taken all series, another kind's failures
// are still counted as its own.
func TestManyVersionsHideNoKind(t *testing.T) {
	m := NewMetrics(prometheus.NewRegistry())
	review := func(kind, from, to, failure string) {
		m.review(&host.Outcome{Group: "example.com", Kind: kind, From: from, To: to, Failure: failure}, time.Millisecond, 1, 1)
	}
	for i := range 2 * maxPairs {
		review("Hostile", fmt.Sprint("v", i), "v0", "")
	}
	review("Good", "v1", "v2", faults.Trap)
	review("Good", "v2", "v1", faults.Trap)
	if got := testutil.ToFloat64(m.failures.WithLabelValues("Good.example.com", "none", "none", faults.Trap)); got != 2 {
		t.Errorf("%v failures of the other kind are counted, want 2", got)
	}
	if got := m.Totals()["Good.example.com"].Failed; got != 2 {
		t.Errorf("the status page knows %d failed reviews of the other kind, want 2", got)
	}
	if got := m.accountLabel("Good.example.com"); got != "Good.example.com" {
		t.Errorf("the other kind's reviews over its share are counted as those of %s", got)
	}
}
