package serve

import (
	"reflect"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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
