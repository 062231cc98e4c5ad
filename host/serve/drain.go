package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

// drain ends a server without failing a review.
//
//  1. /readyz fails, so the endpoint is removed from its service. Reviews are answered as before,
//     but each answer closes its connection, so API servers connect again, to another endpoint.
//     This lasts DrainDelay: long enough for all of them to learn of it.
//  2. The listener and idle connections are closed. Requests in flight may finish, for
//     ShutdownTimeout at most.
//
// A late review is converted as long as possible rather than rejected with a 503, because the API
// server would repeat it on this very connection.
func (s *Server) drain(front *http.Server) error {
	delay := max(s.cfg.DrainDelay, 0)
	// A second is left for a deadline's own answer to be written.
	s.life.end.Store(time.Now().Add(delay + max(s.cfg.ShutdownTimeout-time.Second, s.cfg.ShutdownTimeout/2)).UnixNano())
	s.log.Info("draining: answering reviews and closing their connections", "delay", delay)
	time.Sleep(delay)

	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.ShutdownTimeout)
	defer cancel()
	if err := front.Shutdown(ctx); err != nil {
		reviews := s.requests.Load()
		front.Close()
		return fmt.Errorf("shutdown: %d reviews in progress were cut off after %v", reviews, s.cfg.ShutdownTimeout)
	}
	s.log.Info("drained: every review was answered", "overdue", s.overruns.count())
	return nil
}
