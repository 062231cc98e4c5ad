package status

import (
	"fmt"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
)

// trends returns the trends of the whole gateway, in the form of the page.
func (h *History) trends() []statuspage.Trend {
	h.mu.Lock()
	steps := slices.Clone(h.steps)
	h.mu.Unlock()
	window := lasting(time.Duration(len(steps)) * samplePeriod)
	trend := func(name, unit string, bad bool, of func(serve.Totals) float64) statuspage.Trend {
		t := statuspage.Trend{Name: name, Now: "–", Unit: unit, Window: window, Bad: bad}
		for _, s := range steps {
			t.Values = append(t.Values, of(s))
		}
		if n := len(steps); n > 0 {
			t.Now = fmt.Sprintf("%.3g %s", t.Values[n-1], unit)
		}
		return t
	}
	seconds := samplePeriod.Seconds()
	return []statuspage.Trend{
		trend("reviews", "/s", false, func(s serve.Totals) float64 { return float64(s.Reviews) / seconds }),
		trend("objects", "/s", false, func(s serve.Totals) float64 { return float64(s.Objects) / seconds }),
		trend("half of the reviews within", "ms", false, func(s serve.Totals) float64 { return s.Median().Seconds() * 1000 }),
		trend("failed reviews", "/s", true, func(s serve.Totals) float64 { return float64(s.Failed) / seconds }),
	}
}

// lasting is the period of trends in words: "last 40 s", "last 15 min".
func lasting(d time.Duration) string {
	if d == 0 {
		return fmt.Sprintf("after the first %d s", int(samplePeriod.Seconds()))
	}
	if d < 2*time.Minute {
		return fmt.Sprintf("last %d s", int(d.Seconds()))
	}
	return fmt.Sprintf("last %d min", int(d.Minutes()))
}
