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
