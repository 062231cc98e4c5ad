package runtime

import (
	"errors"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// A call ends at its deadline: the guest yields every millisecond and each host function charges
// before it works. A call that runs on has escaped these limits, and the next call may too. The
// registry then takes its module out of service until its file is replaced.

// errOverrun is the reason why a module that overran is not loaded again.
var errOverrun = errors.New("taken out of service: a call ran for " + (module.OverrunLooks * module.OverrunPeriod).String() + " after its deadline, and the gateway could not end it. " +
	"This gateway does not load the content again, but a restarted one would: replace the file, and report the module to the gateway's authors")

// checkOverruns takes modules out of service that have a call past its deadline.
func (st *state) checkOverruns(now time.Time) {
	for _, s := range st.entries {
		if s.previous != nil && s.previous.Module.LookForOverrun(now) {
			st.journal.previousOverran(s.previous.Module)
			s.previous = nil
		}
		if s.serving != nil && s.serving.LookForOverrun(now) {
			st.withdraw(s, now)
		}
	}
}

// withdraw takes a module that overran out of service. If it was on probation, the previous version
// serves again.
func (st *state) withdraw(s *entry, now time.Time) {
	bad := s.serving
	s.withdraw(now)
	if s.serving == nil && !s.present {
		delete(st.entries, bad.FileName().Base)
	}
	st.journal.withdrawn(bad, s, now)
}

// withdraw takes the serving module, which overran, out of service and bans its content. If it was
// on probation, the previous version serves again.
func (s *entry) withdraw(now time.Time) {
	bad, v := s.serving, ban{at: now, err: errOverrun, overrun: true}
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
