package runtime

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"
	"time"
)

// breaker lets a module rest that fails at every call: after so many faults in a row its callers are answered at once, for
// a pause that doubles as long as the first call after it fails too. One success closes it again. A module is never
// unloaded for its faults, for they may be the objects' doing.
//
// A fault counts once for what was to be converted, however often it is: an object that a module cannot do, and that somebody tries to read
// over and over, must not keep the module from all others.
type breaker struct {
	faults          int           // in a row that open it
	pause, pauseMax time.Duration // first and longest rest

	mu     sync.Mutex
	inARow []uint64      // hashes of what it failed at since the last success, the newest last; faults of them at most
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

// leave notes how a call ended. fault is nil for a call that the module answered, if only with refusals; input is a hash of what it was to
// convert, which says nothing then.
func (b *breaker) leave(now time.Time, fault *FaultError, input uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wasTrying := b.trying
	b.trying = false
	switch {
	case fault == nil:
		b.inARow, b.rest = b.inARow[:0], 0
	case !fault.blamesModule(), slices.Contains(b.inARow, input):
		// Nothing was learned; a rest that was to be ended by this call is ended by the next.
	default:
		if len(b.inARow) >= b.faults {
			b.inARow = slices.Delete(b.inARow, 0, 1)
		}
		b.inARow = append(b.inARow, input)
		b.last = fault.Error()
		if wasTrying {
			b.rest = min(2*b.rest, b.pauseMax)
		} else if len(b.inARow) >= b.faults && b.rest == 0 {
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
	return len(b.inARow) > 0 && !now.Before(b.until)
}

// inputHash is a hash of what a call was to convert.
func inputHash(to string, objects [][]byte) uint64 {
	h := sha256.New()
	h.Write([]byte(to))
	for _, o := range objects {
		sum := sha256.Sum256(o) // of even length, so that no objects run into each other
		h.Write(sum[:])
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// resting reports whether the breaker is open, for status pages.
func (b *breaker) resting(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rest > 0 && now.Before(b.until)
}
