package status

import (
	"fmt"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
)

// trends returns the trends of steps, in the form of the page.
func trends(steps []step, window bool) []statuspage.Trend {
	n := len(steps)
	values := func(of func(step) float64) []float64 {
		list := make([]float64, n)
		for i, s := range steps {
			list[i] = of(s)
		}
		return list
	}
	last := step{}
	if n > 0 {
		last = steps[n-1]
	}
	seconds := samplePeriod.Seconds()
	latency := func(s step) float64 {
		if s.reviews == 0 {
			return 0
		}
		return s.seconds / s.reviews * 1000
	}
	all := []statuspage.Trend{
		{Name: "reviews", Now: fmt.Sprintf("%.3g /s", last.reviews/seconds), Values: values(func(s step) float64 { return s.reviews })},
		{Name: "objects", Now: fmt.Sprintf("%.3g /s", last.objects/seconds), Values: values(func(s step) float64 { return s.objects })},
		{Name: "mean time of a review", Now: fmt.Sprintf("%.3g ms", latency(last)), Values: values(latency)},
		{Name: "failed reviews", Now: fmt.Sprintf("%.3g /s", last.failed/seconds), Values: values(func(s step) float64 { return s.failed }), Bad: true},
	}
	if last.reviews == 0 {
		all[2].Now = "–" // there is no mean without reviews
	}
	for i := range all {
		if window {
			all[i].Window = lasting(time.Duration(n) * samplePeriod)
		}
		if n == 0 {
			all[i].Now = "–"
		}
	}
	return all
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
