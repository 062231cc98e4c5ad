package serve

import (
	"sync"
	"time"
)

// maxThrottled bounds the keys remembered. They come from small fixed sets, so it is never met; were it, all are forgotten.
const maxThrottled = 1000

// throttle lets through one event of each key every so often, so that what fails a thousand times a second does not fill a disk with
// log lines. The metrics count them all. It may be used by many goroutines at once.
type throttle struct {
	every time.Duration

	mu   sync.Mutex // guards seen
	seen map[string]*throttled
}

type throttled struct {
	last    time.Time
	dropped int
}

// allow says whether the event may pass now and how many of its key were held back since the last that did.
func (t *throttle) allow(key string, now time.Time) (dropped int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.seen[key]
	if e == nil {
		if t.seen == nil || len(t.seen) >= maxThrottled {
			t.seen = map[string]*throttled{}
		}
		t.seen[key] = &throttled{last: now}
		return 0, true
	}
	if now.Sub(e.last) < t.every {
		e.dropped++
		return 0, false
	}
	dropped = e.dropped
	e.last, e.dropped = now, 0
	return dropped, true
}
