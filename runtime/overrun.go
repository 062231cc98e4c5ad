package runtime

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// A call ends at its deadline: the guest yields every millisecond and each host function charges before it works. A call that goes on all
// the same has got past the sandbox, and the next one may too. Its module is taken out of service then, until its file is replaced.

const (
	overrunPeriod = time.Second
	// overrunLooks is at how many looks, a period apart, a call must be past its deadline. Looks and not times, because a machine that
	// stands still, or whose clock is set, makes every call late. Ten seconds are a thousand times what the longest step of a guest takes
	// (a chunk of a bulk operation, 10 ms), and less than the 30 s of an API server.
	overrunLooks = 10
)

// errOverrun says why a module that overran is not loaded again.
var errOverrun = errors.New("taken out of service: a call ran for " + (overrunLooks * overrunPeriod).String() + " after its deadline, and the gateway could not end it. " +
	"This gateway does not load the content again, but a restarted one would: replace the file, and report the module to the gateway's authors")

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
		overrun = overrun || l.looks >= overrunLooks
	}
	return overrun
}

// endOverruns takes the modules out of service that have a call which overran.
func (r *Registry) endOverruns(now time.Time) {
	r.changing.Lock()
	defer r.changing.Unlock()
	r.mu.Lock()
	changed := false
	for _, s := range r.slots {
		if s.previous != nil && s.previous.Module.atWork.look(now) {
			r.logger.Error("a module's call ran past its deadline; the module is no longer a fallback", "module", s.previous.name.File, "sha256", short(s.previous.digest))
			r.endProbation(s)
			changed = true
		}
		if s.serving != nil && s.serving.atWork.look(now) {
			r.withdraw(s, now)
			changed = true
		}
	}
	var next *Set
	if changed {
		next = r.nextSet()
	}
	r.mu.Unlock()
	if next != nil {
		r.publish(next)
	}
}

// withdraw takes a module out of service that overran. A previous version that it is on probation against serves again. r.changing and
// r.mu are held.
func (r *Registry) withdraw(s *slot, now time.Time) {
	bad := s.serving
	file := bad.name.File
	v := verdict{at: now, err: errOverrun, overrun: true}
	r.condemn(s, bad, v)
	if s.previous != nil {
		r.restore(s, now)
	} else {
		s.serving = nil
		r.metrics.info.DeleteLabelValues(file, bad.digest)
		if !s.present {
			delete(r.slots, bad.name.Base)
			r.metrics.forget(file)
		}
	}
	if s.present {
		s.failure = v.failure(file, bad.identity, bad.fileSum(), now)
		r.metrics.reloadOK.WithLabelValues(file).Set(0)
	}
	r.logger.Error("a module's call ran past its deadline; taking the module out of service", "module", file, "sha256", short(bad.digest),
		"after", fmt.Sprint(overrunLooks*overrunPeriod), "instead", s.instead())
}
