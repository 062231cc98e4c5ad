package serve

import (
	"errors"
	"sync/atomic"
	"time"
)

// errDraining is the error of /readyz once the end is announced.
var errDraining = errors.New("draining: shutting down")

// life is where a server is between its start and its end. It may be read by many goroutines at
// once.
type life struct {
	ready func() error

	// Times are of time.Now, not numbers, so that a clock that is set changes nothing.
	open     atomic.Bool               // reviews are taken: ready once, or the grace is over. Never goes back
	graceEnd atomic.Pointer[time.Time] // nil before begin
	end      atomic.Pointer[time.Time] // when reviews are cut off; nil while not draining
}

func (l *life) begin(grace time.Duration) {
	end := time.Now().Add(grace)
	l.graceEnd.Store(&end)
}

// drain announces the end: reviews are cut off after some time.
func (l *life) drain(after time.Duration) {
	end := time.Now().Add(after)
	l.end.Store(&end)
}

// admits returns an error while no review can be taken yet. Once reviews are possible it always
// admits them: a set of modules that served once serves for ever, and a review that fails with a
// message is better than a review that is rejected for retry.
func (l *life) admits() error {
	if l.open.Load() {
		return nil
	}
	if end := l.graceEnd.Load(); end != nil && time.Now().Before(*end) {
		if err := l.ready(); err != nil {
			return err
		}
	}
	l.open.Store(true)
	return nil
}

// state is the error of /readyz: nil when ready.
func (l *life) state() error {
	if l.draining() {
		return errDraining
	}
	return l.ready()
}

func (l *life) draining() bool { return l.end.Load() != nil }

// bound shortens a review's deadline to the time that is left before reviews are cut off.
func (l *life) bound(deadline time.Time) time.Time {
	if end := l.end.Load(); end != nil && end.Before(deadline) {
		return *end
	}
	return deadline
}
