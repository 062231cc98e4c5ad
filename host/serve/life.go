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

	open     atomic.Bool  // reviews are taken: ready once, or the grace is over. Never goes back
	graceEnd atomic.Int64 // Unix nanoseconds; 0 before begin
	end      atomic.Int64 // when reviews are cut off, Unix nanoseconds; 0 while not draining
}

func (l *life) begin(grace time.Duration) { l.graceEnd.Store(time.Now().Add(grace).UnixNano()) }

// admits returns an error while no review can be taken yet. Once reviews are possible it always
// admits them: a set of modules that served once serves for ever, and a review that fails with a
// message is better than a review that is rejected for retry.
func (l *life) admits() error {
	if l.open.Load() {
		return nil
	}
	if err := l.ready(); err != nil && time.Now().UnixNano() < l.graceEnd.Load() {
		return err
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

func (l *life) draining() bool { return l.end.Load() != 0 }

// bound shortens a review's deadline to the time that is left before reviews are cut off.
func (l *life) bound(deadline time.Time) time.Time {
	if end := l.end.Load(); end != 0 && end < deadline.UnixNano() {
		return time.Unix(0, end)
	}
	return deadline
}
