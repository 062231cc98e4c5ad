package serve

import (
	"fmt"
	"net/http"
	"time"
)

// drain ends a server without failing a review.
//
//  1. /readyz fails, so the endpoint is removed from its service. Reviews are answered as before,
//     but each answer closes its connection, so API servers connect again, to another endpoint.
//     This lasts DrainDelay: long enough for all of them to learn of it.
//  2. The listener is closed. A connection that awaits its next request gets the answer to one more,
//     for as long again: its client cannot know that the connection will end, and would read the end
//     of the stream as a failed review.
//  3. Connections that await a request are closed. Requests in flight may finish. Both phases together
//     last ShutdownTimeout at most.
//
// A late review is converted as long as possible rather than rejected with a 503, because the API
// server would repeat it on this very connection.
func (s *Server) drain(front *http.Server, limited *connections) error {
	delay := max(s.cfg.DrainDelay, 0)
	// A second is left for a deadline's own answer to be written.
	s.life.drain(delay + max(s.cfg.ShutdownTimeout-time.Second, s.cfg.ShutdownTimeout/2))
	s.log.Info("draining: answering reviews and closing their connections", "delay", delay)
	time.Sleep(delay)

	limited.Close()
	closed, began := 0, time.Now()
	for limited.count() > 0 && time.Since(began) < s.cfg.ShutdownTimeout {
		if time.Since(began) >= delay {
			closed += limited.closeUnused()
		}
		select {
		case <-limited.wake:
		case <-time.After(drainPoll):
		}
	}
	reviews, rest := s.requests.Load(), limited.count()
	front.Close()
	if reviews > 0 && rest > 0 {
		return fmt.Errorf("shutdown: %d reviews in progress were cut off after %v", reviews, s.cfg.ShutdownTimeout)
	}
	s.log.Info("drained: every review was answered", "overdue", s.overruns.count(), "closed_without_request", closed+rest)
	return nil
}

const (
	// drainPoll bounds the wait for a connection that becomes unused by the passing of time.
	drainPoll = 20 * time.Millisecond
	// newFor is how long a connection without a request counts as used: it is in its handshake, and
	// its request may follow.
	newFor = 5 * time.Second
)

// closeUnused closes the connections that await a request, and returns how many. A connection with
// bytes to read stays, because its request has arrived.
func (l *connections) closeUnused() (closed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Since(l.began)
	for i := len(l.open) - 1; i >= 0; i-- { // remove moves the last one to i
		c := l.open[i]
		fresh := c.state.Load() == int32(http.StateNew) && now-time.Duration(c.since.Load()) < newFor
		if c.state.Load() == int32(http.StateActive) || fresh || pending(c.Conn) {
			continue
		}
		l.remove(c)
		c.Conn.Close() // its goroutine sees that, and ends
		closed++
	}
	return closed
}
