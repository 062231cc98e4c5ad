package module

import (
	"crypto/sha256"
	"slices"
	"sync"
	"time"
)

// breaker keeps a module's failures cheap, and keeps them to the objects that fail.
//
// It remembers what the module failed at: the same objects get the same fault again, without a call, for a pause that doubles with each
// call that fails at them again. It opens for all objects only if the module fails at everything: after so many faults in a row, at
// different objects, the module is asked to convert an object that is not of their sender's making (see Module.works), and only if it
// fails at that too its callers are answered at once, for a pause that doubles likewise. One success closes it. A module is never unloaded
// for its faults, for they may be the objects' doing.
type breaker struct {
	faults          int           // in a row, at different objects, after which the module must prove that it works
	pause, pauseMax time.Duration // first and longest pause

	mu     sync.Mutex
	failed map[inputKey]*failedInput // maxFailed at most
	inARow []inputKey                // what it failed at since the last success, the newest last; faults of them at most
	rest   time.Duration             // of the current or last opening; 0 while closed
	until  time.Time                 // when the pause ends
	trying bool                      // one call is finding out whether the module works again
	last   string                    // the fault that opened it, for messages
}

// inputKey identifies what a call was to convert. It is a whole SHA-256: a shorter hash could be made to collide, and an object would get
// another one's fault.
type inputKey [sha256.Size]byte

// failedInput is what the breaker remembers of objects that the module failed at.
type failedInput struct {
	fault *FaultError
	pause time.Duration
	until time.Time
}

// maxFailed is how many failed inputs are remembered, at up to 5 KiB each, which is nearly all words of the module.
const maxFailed = 256

// recall returns the fault of objects that the module failed at a short time ago; nil if it is to be asked. It computes the key only while
// something is remembered.
func (b *breaker) recall(now time.Time, input func() inputKey) *FaultError {
	b.mu.Lock()
	empty := len(b.failed) == 0
	b.mu.Unlock()
	if empty {
		return nil
	}
	key := input() // outside of the lock, for it takes as long as the objects are large
	b.mu.Lock()
	defer b.mu.Unlock()
	if f := b.failed[key]; f != nil && now.Before(f.until) {
		return f.fault
	}
	return nil
}

// enter reports whether a call may be made. If not, it returns how long the pause still takes and what led to it.
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

// leave notes how a call ended. fault is nil for a call that the module answered, if only with refusals. It reports whether the fault
// raises the question whether the module works at all: the caller then finds out, and calls decide.
func (b *breaker) leave(now time.Time, fault *FaultError, input func() inputKey) (doubt bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wasTrying := b.trying
	b.trying = false
	if fault == nil {
		b.inARow, b.rest = b.inARow[:0], 0
		return false
	}
	if !fault.blamesModule() {
		return false // nothing was learned; a pause that was to be ended by this call is ended by the next
	}
	key := input()
	b.remember(now, key, fault)
	if !slices.Contains(b.inARow, key) {
		if len(b.inARow) >= b.faults {
			b.inARow = slices.Delete(b.inARow, 0, 1)
		}
		b.inARow = append(b.inARow, key)
	}
	b.last = fault.Error()
	doubt = wasTrying || len(b.inARow) >= b.faults && b.rest == 0
	b.trying = doubt && wasTrying // until it is decided, the others wait
	return doubt
}

// decide ends a doubt: the module works, or it fails at everything. known is false if that could not be found out.
func (b *breaker) decide(now time.Time, works, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
	switch {
	case !known:
	case works:
		b.inARow, b.rest = b.inARow[:0], 0
	case b.rest == 0:
		b.rest = b.pause
		b.until = now.Add(b.rest)
	case !now.Before(b.until): // not if another call decided it meanwhile
		b.rest = min(2*b.rest, b.pauseMax)
		b.until = now.Add(b.rest)
	}
}

// remember notes what the module failed at. b.mu is held.
func (b *breaker) remember(now time.Time, key inputKey, fault *FaultError) {
	f := b.failed[key]
	if f == nil {
		if b.failed == nil {
			b.failed = map[inputKey]*failedInput{}
		}
		if len(b.failed) >= maxFailed {
			b.forgetOldest()
		}
		f = &failedInput{}
		b.failed[key] = f
	}
	f.fault = fault
	f.pause = max(b.pause, min(2*f.pause, b.pauseMax))
	f.until = now.Add(f.pause)
}

// forgetOldest forgets the failed input that may be asked for again first. b.mu is held.
func (b *breaker) forgetOldest() {
	var oldest inputKey
	var until time.Time
	for key, f := range b.failed {
		if until.IsZero() || f.until.Before(until) {
			oldest, until = key, f.until
		}
	}
	delete(b.failed, oldest)
}

// keyOf is the key of what a call is to convert.
func keyOf(to string, objects [][]byte) inputKey {
	h := sha256.New()
	h.Write([]byte(to))
	for _, o := range objects {
		sum := sha256.Sum256(o) // of even length, so that no objects run into each other
		h.Write(sum[:])
	}
	return inputKey(h.Sum(nil))
}

// resting reports whether the breaker is open, for status pages.
func (b *breaker) resting(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rest > 0 && now.Before(b.until)
}
