package serve

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Reasons why acquire fails. Both mean overload: the caller answers 429 and the API server tries
// again.
var (
	errQueueFull = errors.New("the queue is full")
	errQueueWait = errors.New("waited too long in the queue")
)

// semaphore is a weighted semaphore with a short queue: acquire succeeds while the limit has enough
// units, a few callers wait a little for released units, in order of arrival, and all others fail
// at once. It bounds both the number of running reviews (one unit a review) and memory (one unit a
// byte).
//
// A short queue and an early failure are better than a long queue: the API server repeats a
// rejected review after one second, while a waiting review uses up the 30 s of its user.
//
// golang.org/x/sync/semaphore does not bound its queue, and its TryAcquire fails while anybody
// waits, which would discard finished answers. A semaphore is safe for concurrent use.
type semaphore struct {
	limit      int64
	maxWaiting int
	wait       time.Duration

	mu      sync.Mutex // guards the fields below
	used    int64
	waiting []*waiter // in order of arrival
}

type waiter struct {
	units   int64
	granted chan struct{} // closed, with semaphore.mu held, when the units belong to the waiter
}

func newSemaphore(limit int64, maxWaiting int, wait time.Duration) *semaphore {
	return &semaphore{limit: limit, maxWaiting: maxWaiting, wait: wait}
}

// acquire takes units, which the caller must release.
//
// # Errors
//
//   - errQueueFull: the queue has no room.
//   - errQueueWait: the units were not released in time.
//   - the context's error, if that ended first.
func (s *semaphore) acquire(ctx context.Context, units int64) error {
	s.mu.Lock()
	// Callers do not overtake a waiter: otherwise a stream of small requests would starve a large
	// one.
	if len(s.waiting) == 0 && s.used+units <= s.limit {
		s.used += units
		s.mu.Unlock()
		return nil
	}
	if units > s.limit || len(s.waiting) >= s.maxWaiting {
		s.mu.Unlock()
		return errQueueFull
	}
	w := &waiter{units: units, granted: make(chan struct{})}
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()

	timer := time.NewTimer(s.wait)
	defer timer.Stop()
	err := errQueueWait
	select {
	case <-w.granted:
		return nil
	case <-timer.C:
	case <-ctx.Done():
		err = ctx.Err()
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.waiting {
		if other == w {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			s.grant() // the next waiter may need fewer units
			return err
		}
	}
	return nil // granted between the timer and the lock
}

// tryAcquire takes units without waiting, ahead of all waiters, and reports whether the limit has
// enough.
func (s *semaphore) tryAcquire(units int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used+units > s.limit {
		return false
	}
	s.used += units
	return true
}

// release returns units and grants them to waiters.
func (s *semaphore) release(units int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= units
	s.grant()
}

// grant gives free units to waiters from the front of the queue. The caller holds s.mu.
func (s *semaphore) grant() {
	n := 0
	for n < len(s.waiting) && s.used+s.waiting[n].units <= s.limit {
		s.used += s.waiting[n].units
		close(s.waiting[n].granted)
		n++
	}
	if n > 0 {
		kept := copy(s.waiting, s.waiting[n:])
		clear(s.waiting[kept:])
		s.waiting = s.waiting[:kept]
	}
}

// load returns the units in use and the number of waiters.
func (s *semaphore) load() (used int64, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, len(s.waiting)
}
