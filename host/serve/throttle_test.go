package serve

import (
	"fmt"
	"testing"
	"time"
)

func TestThrottle(t *testing.T) {
	throttle := &throttle{every: time.Second}
	start := time.Now()
	for i, test := range []struct {
		key     string
		after   time.Duration
		dropped int
		ok      bool
	}{
		{"a", 0, 0, true},
		{"a", 10 * time.Millisecond, 0, false},
		{"b", 20 * time.Millisecond, 0, true},
		{"a", 999 * time.Millisecond, 0, false},
		{"a", 1001 * time.Millisecond, 2, true},
		{"a", 1500 * time.Millisecond, 0, false},
		{"b", 5 * time.Second, 0, true},
	} {
		if dropped, ok := throttle.allow(test.key, start.Add(test.after)); dropped != test.dropped || ok != test.ok {
			t.Errorf("event %d: %d %v, want %d %v", i, dropped, ok, test.dropped, test.ok)
		}
	}
	for i := range 3 * maxThrottled {
		throttle.allow(fmt.Sprint(i), start)
	}
	if n := len(throttle.keys); n > maxThrottled {
		t.Errorf("%d keys remembered, want at most %d", n, maxThrottled)
	}
}
