package module

import (
	"sync"
	"time"
)

const (
	OverrunPeriod = time.Second
	// overrunLooks is at how many looks, a period apart, a call must be past its deadline. Looks and not times, because a machine that
	// stands still, or whose clock is set, makes every call late. Ten seconds are a thousand times what the longest step of a guest takes
	// (a chunk of a bulk operation, 10 ms), and less than the 30 s of an API server.
	OverrunLooks = 10
)

// callSet are the calls that a module may have at work. It is safe for concurrent use.
type callSet struct {
	mu    sync.Mutex
	calls map[*call]*lateness
}

// lateness is what the looks at a call found.
type lateness struct {
	until int64 // the deadline that it was past
	looks int   // in a row
}

// add notes a call until drop is called with it.
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

// look looks at each call once and reports whether one has been past its deadline at overrunLooks looks in a row.
func (s *callSet) look(now time.Time) (overrun bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, l := range s.calls {
		until := c.until.Load()
		switch {
		case until == 0 || now.UnixNano() < until:
			*l = lateness{}
		case l.until != until: // another call than at the last look
			*l = lateness{until, 1}
		default:
			l.looks++
		}
		overrun = overrun || l.looks >= OverrunLooks
	}
	return overrun
}
