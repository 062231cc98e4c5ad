package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// errDraining is what /readyz says once the end is announced.
var errDraining = errors.New("draining: the process was told to end")

// life is where a server is between its start and its end. It may be read by many goroutines at once.
type life struct {
	ready func() error

	open     atomic.Bool  // reviews are taken: ready once, or the grace is over. Never goes back
	graceEnd atomic.Int64 // Unix nanoseconds; 0 before begin
	end      atomic.Int64 // when reviews are cut off, Unix nanoseconds; 0 while not draining
}

func (l *life) begin(grace time.Duration) { l.graceEnd.Store(time.Now().Add(grace).UnixNano()) }

// admits says why a review cannot be taken yet. It asks no more once one could be: a set of modules that served once serves for ever,
// and a review that fails with a message beats one that is put off.
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

// state is what /readyz says: nil when ready.
func (l *life) state() error {
	if l.draining() {
		return errDraining
	}
	return l.ready()
}

func (l *life) draining() bool { return l.end.Load() != 0 }

// bound shortens a review's deadline to what is left before reviews are cut off.
func (l *life) bound(deadline time.Time) time.Time {
	if end := l.end.Load(); end != 0 && end < deadline.UnixNano() {
		return time.Unix(0, end)
	}
	return deadline
}

// drain ends a server without failing a review.
//
//  1. /readyz says no, so that the endpoint is taken out of its service. Reviews are answered as before, but each answer closes its
//     connection, so that API servers connect again, and elsewhere. This lasts DrainDelay: long enough for all of them to know.
//  2. The listener and idle connections are closed, and what is under way may finish, for ShutdownTimeout at most.
//
// A review that comes late is converted rather than put off with a 503, for as long as it can be: it would be repeated on
// this very connection.
func (s *Server) drain(front *http.Server) error {
	delay := max(s.cfg.DrainDelay, 0)
	// A second is left for a deadline's own answer to be written.
	s.life.end.Store(time.Now().Add(delay + max(s.cfg.ShutdownTimeout-time.Second, s.cfg.ShutdownTimeout/2)).UnixNano())
	s.log.Info("draining: reviews are still answered, their connections closed", "delay", delay)
	time.Sleep(delay)

	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.ShutdownTimeout)
	defer cancel()
	if err := front.Shutdown(ctx); err != nil {
		reviews := s.requests.Load()
		front.Close()
		return fmt.Errorf("ending: %d reviews under way were cut off after %v", reviews, s.cfg.ShutdownTimeout)
	}
	s.log.Info("drained: every review was answered", "overdue", s.overruns.count())
	return nil
}
