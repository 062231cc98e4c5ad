package serve

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Why a gate let nobody through. Both are overload: the caller answers 429 and the API server tries again.
var (
	errQueueFull = errors.New("the queue is full")
	errQueueWait = errors.New("waited too long in the queue")
)

// gate is a counting semaphore with a short queue: units are let through up to a limit, a few callers wait a little for
// units to come back, in the order they came, and everyone else is turned away at once. It bounds both what runs at a time
// (one unit a review) and what is held in memory (one unit a byte).
//
// A short queue and an early refusal, rather than a long queue, because the API server repeats a refused review after the
// second it is told, while one that waits here burns the 30 s its user has.
//
// A gate may be used by many goroutines at once.
type gate struct {
	limit      int64
	maxWaiting int
	wait       time.Duration

	mu      sync.Mutex // guards what follows
	used    int64
	waiting []*waiter // in the order they came
}

type waiter struct {
	units   int64
	granted chan struct{} // closed, with gate.mu held, when the units are the waiter's
}

func newGate(limit int64, maxWaiting int, wait time.Duration) *gate {
	return &gate{limit: limit, maxWaiting: maxWaiting, wait: wait}
}

// enter takes units from the gate, which leave must give back.
//
// # Errors
//
//   - errQueueFull: as many callers wait already as may.
//   - errQueueWait: the units did not come free in time.
//   - the context's error, if that ended first.
func (g *gate) enter(ctx context.Context, units int64) error {
	g.mu.Lock()
	// Nobody overtakes: otherwise a stream of small requests would starve a large one for ever.
	if len(g.waiting) == 0 && g.used+units <= g.limit {
		g.used += units
		g.mu.Unlock()
		return nil
	}
	if units > g.limit || len(g.waiting) >= g.maxWaiting {
		g.mu.Unlock()
		return errQueueFull
	}
	w := &waiter{units: units, granted: make(chan struct{})}
	g.waiting = append(g.waiting, w)
	g.mu.Unlock()

	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	err := errQueueWait
	select {
	case <-w.granted:
		return nil
	case <-timer.C:
	case <-ctx.Done():
		err = ctx.Err()
	}

	g.mu.Lock()
	defer g.mu.Unlock()
	for i, other := range g.waiting {
		if other == w {
			g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
			g.grant() // the one behind may want less than this one did
			return err
		}
	}
	return nil // granted between the timer and the lock
}

// take takes units without waiting, past those who wait for theirs, and reports whether there were as many.
func (g *gate) take(units int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used+units > g.limit {
		return false
	}
	g.used += units
	return true
}

// leave gives units back and lets in whoever they suffice for.
func (g *gate) leave(units int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used -= units
	g.grant()
}

// grant lets in from the front of the queue as many as fit. The caller holds g.mu.
func (g *gate) grant() {
	n := 0
	for n < len(g.waiting) && g.used+g.waiting[n].units <= g.limit {
		g.used += g.waiting[n].units
		close(g.waiting[n].granted)
		n++
	}
	if n > 0 {
		kept := copy(g.waiting, g.waiting[n:])
		clear(g.waiting[kept:])
		g.waiting = g.waiting[:kept]
	}
}

// load says how many units are out and how many callers wait.
func (g *gate) load() (used int64, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.used, len(g.waiting)
}
