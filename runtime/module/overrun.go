package module

import (
	"sync"
	"time"
)

// A module is taken out of service after OverrunLooks checks, OverrunPeriod apart, that find the
// same call past its deadline.
const (
	OverrunPeriod = time.Second
	// OverrunLooks is the number of consecutive checks, a period apart, that find a call past its
	// deadline. It counts checks and not time, because a process that was stopped for a while finds
	// every call late. Ten seconds are a thousand times the longest step of a guest (a chunk of a
	// bulk operation, 10 ms), and less than the 30 s of an API server.
	OverrunLooks = 10
)

// callSet is the set of a module's calls in progress. It is safe for concurrent use.
type callSet struct {
	mu    sync.Mutex
	calls map[*call]*lateness
}

// lateness is the result of the checks of a call.
type lateness struct {
	until int64 // the deadline that had passed
	looks int   // consecutive checks that found it passed
}

// add adds a call until drop is called with it.
func (s *callSet) add(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = map[*call]*lateness{}
	}
	s.calls[c] = &lateness{}
}

func (s *callSet) drop(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, c)
}

// look checks each call once and reports whether one was past its deadline at OverrunLooks
// consecutive checks.
func (s *callSet) look(now time.Time) (overrun bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, l := range s.calls {
		until := c.until.Load()
		switch {
		case until == 0 || int64(now.Sub(c.born)) < until:
			*l = lateness{}
		case l.until != until: // another call than at the last check
			*l = lateness{until, 1}
		default:
			l.looks++
		}
		overrun = overrun || l.looks >= OverrunLooks
	}
	return overrun
}
