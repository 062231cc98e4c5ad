package runtime

import (
	"errors"
	"fmt"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// A call ends at its deadline: the guest yields every millisecond and each host function charges
// before it works. A call that runs on has escaped these limits, and the next call may too. The
// registry then takes its module out of service until its file is replaced.

// errOverrun is the reason why a module that overran is not loaded again.
var errOverrun = errors.New("taken out of service: a call ran for " + (module.OverrunLooks * module.OverrunPeriod).String() + " after its deadline, and the gateway could not end it. " +
	"This gateway does not load the content again, but a restarted one would: replace the file, and report the module to the gateway's authors")

// maxBanned is the most bad contents of one module that are remembered: more than an operator tries
// in a day.
const maxBanned = 16

// ban remembers content that must not be loaded again.
func (s *slot) ban(m *module.Module, v verdict) {
	if s.banned == nil || len(s.banned) >= maxBanned {
		s.banned = map[[32]byte]verdict{}
	}
	s.banned[m.ContentSum()] = v
}

// rollBack makes the previous version serve again and bans the content that failed.
func (s *slot) rollBack(last string, now time.Time) (bad, previous *module.Module) {
	bad, previous = s.serving, s.previous.Module
	v := verdict{at: now, err: fmt.Errorf("rolled back: on probation it failed %d batches that %s converted; last failure: %s. This gateway does not load it again, but a restarted one would: replace the file with a fixed module or the previous one",
		probationMarks, after(bad, previous), last)}
	s.ban(bad, v)
	s.servePrevious(now)
	s.failure = v.failure(bad.Name(), bad.ContentSum(), bad.FileSum(), now)
	return bad, previous
}

// withdraw takes the serving module, which overran, out of service and bans its content. If it was
// on probation, the previous version serves again.
func (s *slot) withdraw(now time.Time) {
	bad, v := s.serving, verdict{at: now, err: errOverrun, overrun: true}
	s.ban(bad, v)
	if s.previous != nil {
		s.servePrevious(now)
	} else {
		s.serving = nil
	}
	if s.present {
		s.failure = v.failure(bad.Name(), bad.ContentSum(), bad.FileSum(), now)
	}
}

// servePrevious makes the previous version serve again.
func (s *slot) servePrevious(now time.Time) {
	s.serving, s.since, s.previous = s.previous.Module, now, nil
}

// after names the previous version of a module.
func after(m, previous *module.Module) string {
	if m.Digest() == previous.Digest() { // only the sidecar differs
		return "the same module with its previous sidecar"
	}
	return "the previous version (sha256 " + foreign.Digest(previous.Digest()) + ")"
}
