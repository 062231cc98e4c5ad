package module

import (
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// breaker is a module's circuit breaker. It keeps failures cheap, and limits them to the objects
// that fail.
//
// It remembers failed inputs: the same objects get the same fault again, without a call, for a
// pause that doubles with each further failure. It opens for all objects only if the module fails
// at everything: after so many consecutive faults with different objects, the module is probed with
// an object that did not come from the same client (see Module.works). If the probe fails too, the
// breaker opens and rejects all calls, for a pause that doubles likewise. One success closes it. A
// module is never unloaded for its faults, because the objects may be their cause.
type breaker struct {
	faults          int           // consecutive faults with different objects after which the module is probed
	pause, pauseMax time.Duration // first and longest pause

	mu     sync.Mutex
	failed map[inputKey]*failedInput // maxFailed at most
	inARow []inputKey                // inputs that failed since the last success, the newest last; at most faults
	open   time.Duration             // pause of the current or last opening; 0 while closed
	until  time.Time                 // end of the pause; half-open from then on
	trying bool                      // half-open: one call tests whether the module works again
	last   string                    // the fault that opened it, for messages
}

// inputKey identifies the input of a call. It is a whole SHA-256: a client could make a shorter
// hash collide, and an object would get the fault of another.
type inputKey [sha256.Size]byte

// failedInput is the fault of an input that the module failed at.
type failedInput struct {
	fault *FaultError
	pause time.Duration
	until time.Time
}

// maxFailed is the most failed inputs that are remembered, at up to 5 KiB each, most of which is
// the module's text.
const maxFailed = 256

// admit returns nil if the module may be called with an input; record must follow. Otherwise it
// returns the fault that answers for the module: the earlier fault of an input that failed
// recently, or one of kind breaker. It computes the key only while inputs are remembered.
func (b *breaker) admit(now time.Time, input func() inputKey) *FaultError {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.failed) > 0 {
		b.mu.Unlock()
		key := input() // outside of the lock: the time grows with the objects
		b.mu.Lock()
		if f := b.failed[key]; f != nil && now.Before(f.until) {
			return f.fault
		}
	}
	left := b.open
	switch {
	case b.open == 0:
		return nil
	case now.Before(b.until):
		left = b.until.Sub(now)
	case !b.trying:
		b.trying = true // half-open: this call is the test
		return nil
	}
	return faultf(faults.Breaker, "circuit breaker open for another %v; last failure: %s", left.Round(time.Millisecond), b.last)
}

// record records the result of a call. fault is nil for a call that the module answered, also with
// refusals only. It returns true if the module may be broken: the caller then probes it and calls
// decide.
func (b *breaker) record(now time.Time, fault *FaultError, input func() inputKey) (doubt bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wasTrying := b.trying
	b.trying = false
	if fault == nil {
		b.inARow, b.open = b.inARow[:0], 0
		return false
	}
	if !fault.BlamesModule() {
		return false // the call shows nothing; the next call is the test
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
	doubt = wasTrying || len(b.inARow) >= b.faults && b.open == 0
	b.trying = doubt && wasTrying // until decide, other calls are rejected
	return doubt
}

// decide records the result of a probe: the module works, or it fails at everything. known is false
// if the probe was inconclusive.
func (b *breaker) decide(now time.Time, works, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
	switch {
	case !known:
	case works:
		b.inARow, b.open = b.inARow[:0], 0
	case b.open == 0:
		b.open = b.pause
		b.until = now.Add(b.open)
	case !now.Before(b.until): // not if another call has decided meanwhile
		b.open = min(2*b.open, b.pauseMax)
		b.until = now.Add(b.open)
	}
}

// remember records a failed input. b.mu is held.
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

// forgetOldest forgets the failed input whose pause ends first. b.mu is held.
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

// keyOf is the key of a call's input.
func keyOf(to string, objects [][]byte) inputKey {
	h := sha256.New()
	h.Write([]byte(to))
	for _, o := range objects {
		sum := sha256.Sum256(o) // of fixed length, so that objects cannot run into each other
		h.Write(sum[:])
	}
	return inputKey(h.Sum(nil))
}

// isOpen reports whether the breaker is open, for status pages.
func (b *breaker) isOpen(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open > 0 && now.Before(b.until)
}
