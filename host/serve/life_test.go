package serve

import (
	"testing"
	"time"
)

// TestLifeIgnoresTheWallClock: a clock that is set ends neither the grace at the start nor reviews
// while the server drains. Only times with a monotonic reading are compared so.
func TestLifeIgnoresTheWallClock(t *testing.T) {
	l := &life{}
	l.begin(time.Minute)
	l.drain(time.Minute)
	for name, end := range map[string]time.Time{
		"the end of the grace":      *l.graceEnd.Load(),
		"the deadline of a review":  l.bound(time.Now().Add(time.Hour)),
		"a deadline before the end": l.bound(time.Now().Add(time.Second)),
	} {
		if end == end.Round(0) { // which removes the monotonic reading
			t.Errorf("%s, %v, is a time of the wall clock", name, end)
		}
	}
}

// TestReviewsEndBeforeTheyAreCutOff: the end of the drain shortens the time of a review, and never
// gives it more.
func TestReviewsEndBeforeTheyAreCutOff(t *testing.T) {
	l, now := &life{}, time.Now()
	l.drain(time.Minute)
	end := *l.end.Load()
	for deadline, want := range map[time.Time]time.Time{now.Add(time.Second): now.Add(time.Second), now.Add(time.Hour): end} {
		if got := l.bound(deadline); !got.Equal(want) {
			t.Errorf("a deadline %v before the end becomes %v before it, want %v", end.Sub(deadline), end.Sub(got), end.Sub(want))
		}
	}
}
