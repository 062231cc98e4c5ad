package runtime

import (
	"sync"
	"time"
)

// breaker lets a module rest that fails at every call: after so many faults in a row its callers are answered at once, for
// a pause that doubles as long as the first call after it fails too. One success closes it again. A module is never
// unloaded for its faults, for they may be the objects' doing.
type breaker struct {
	faults          int           // in a row that open it
	pause, pauseMax time.Duration // first and longest rest

	mu     sync.Mutex
	inARow int
	rest   time.Duration // of the current or last rest; 0 while closed
	until  time.Time     // when the rest ends
	trying bool          // one call is finding out whether the module works again
	last   string        // the fault that opened it, for messages
}

// enter reports whether a call may be made. If not, it returns how long the rest still takes and what led to it.
func (b *breaker) enter(now time.Time) (ok bool, left time.Duration, last string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rest == 0 {
		return true, 0, ""
	}
	if now.Before(b.until) {
		return false, b.until.Sub(now), b.last
	}
	if b.trying {
		return false, b.rest, b.last
	}
	b.trying = true
	return true, 0, ""
}

// leave notes how a call ended. fault is nil for a call that the module answered, if only with refusals; blame says whether
// the fault was its own.
func (b *breaker) leave(now time.Time, fault *FaultError) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wasTrying := b.trying
	b.trying = false
	switch {
	case fault == nil:
		b.inARow, b.rest = 0, 0
	case !fault.blamesModule():
		// Nothing was learned; a rest that was to be ended by this call is ended by the next.
	default:
		b.inARow++
		b.last = fault.Error()
		if wasTrying {
			b.rest = min(2*b.rest, b.pauseMax)
		} else if b.inARow >= b.faults && b.rest == 0 {
			b.rest = b.pause
		} else {
			return
		}
		b.until = now.Add(b.rest)
	}
}

// asking reports whether the next call decides: one more fault may open the breaker, or a success close it.
func (b *breaker) asking(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.inARow > 0 && !now.Before(b.until)
}

// resting reports whether the breaker is open, for status pages.
func (b *breaker) resting(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rest > 0 && now.Before(b.until)
}
