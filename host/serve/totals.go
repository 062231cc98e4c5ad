package serve

import (
	"sync/atomic"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// Totals are the numbers of reviews of one kind since the start. The metrics have more; these can
// be read without a scrape.
type Totals struct {
	Reviews, Failed, Objects uint64
	Time                     time.Duration // of all reviews together
}

type totals struct{ reviews, failed, objects, nanoseconds atomic.Uint64 }

func (t *totals) add(o *host.Outcome, took time.Duration) {
	t.reviews.Add(1)
	if o.Failure != "" {
		t.failed.Add(1)
	}
	t.objects.Add(uint64(o.Objects))
	t.nanoseconds.Add(uint64(took))
}

// Totals returns the totals of every kind, <Kind>.<group>, that a review was for or could be for;
// reviews that no module converts are under "none".
func (m *Metrics) Totals() map[string]Totals {
	m.mu.RLock()
	defer m.mu.RUnlock()
	all := make(map[string]Totals, len(m.totals))
	for kind, t := range m.totals {
		all[kind] = Totals{t.reviews.Load(), t.failed.Load(), t.objects.Load(), time.Duration(t.nanoseconds.Load())}
	}
	return all
}
