package serve

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxThrottled bounds the remembered keys. They come from small fixed sets, so the bound is never
// reached; if it were, the throttle would forget all of them.
const maxThrottled = 1000

// throttle allows one event of each key in every interval, so that a failure that occurs a thousand
// times a second does not fill a disk with log lines. The metrics count every event. It is safe for
// concurrent use.
type throttle struct {
	every time.Duration

	mu   sync.Mutex // guards keys
	keys map[string]*throttled
}

type throttled struct {
	limiter *rate.Limiter
	dropped int
}

// allow reports whether the event may pass now, and how many events of its key were dropped since
// the last that passed.
func (t *throttle) allow(key string, now time.Time) (dropped int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.keys[key]
	if k == nil {
		if t.keys == nil || len(t.keys) >= maxThrottled {
			t.keys = map[string]*throttled{}
		}
		k = &throttled{limiter: rate.NewLimiter(rate.Every(t.every), 1)}
		t.keys[key] = k
	}
	if !k.limiter.AllowN(now, 1) {
		k.dropped++
		return 0, false
	}
	dropped, k.dropped = k.dropped, 0
	return dropped, true
}
