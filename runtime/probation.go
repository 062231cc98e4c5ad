package runtime

import (
	"fmt"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// beginProbation puts the next serving module of an entry on probation. Its previous version is the
// last one that passed its own probation: a version that was replaced before has proved nothing.
func (st *state) beginProbation(s *entry, candidate *module.Module, now time.Time) {
	previous := s.serving
	if p := s.previous; p != nil {
		previous = p.Module
		s.previous = nil
	}
	if previous == nil || st.probation <= 0 || previous.ContentSum() == candidate.ContentSum() {
		return
	}
	s.previous = &PreviousModule{Module: previous, newer: candidate, length: st.probation, until: now.Add(st.probation), rollBack: st.rollBack,
		batches: st.journal.metrics.previous.WithLabelValues(candidate.Name()), logger: st.journal.logger.With("module", candidate.Name())}
}

// checkProbation ends the probations whose period is over, and rolls back modules that failed too
// often.
func (st *state) checkProbation(now time.Time) {
	for _, s := range st.entries {
		if s.previous == nil {
			continue
		}
		switch marks, last, until := s.previous.account(); {
		case marks >= probationMarks:
			bad, previous := s.rollBack(last, now)
			st.journal.rolledBack(bad, previous, last, now)
		case !now.Before(until):
			s.previous = nil
			st.journal.passedProbation(s.serving, marks, now)
		}
	}
}

// maxBanned is the most bad contents of one module that are remembered: more than an operator tries
// in a day.
const maxBanned = 16

// ban remembers content that must not be loaded again.
func (s *entry) ban(m *module.Module, v ban) {
	if s.banned == nil || len(s.banned) >= maxBanned {
		s.banned = map[[32]byte]ban{}
	}
	s.banned[m.ContentSum()] = v
}

// rollBack makes the previous version serve again and bans the content that failed.
func (s *entry) rollBack(last string, now time.Time) (bad, previous *module.Module) {
	bad, previous = s.serving, s.previous.Module
	v := ban{at: now, err: fmt.Errorf("rolled back: on probation it failed %d batches that %s converted; last failure: %s. This gateway does not load it again, but a restarted one would: replace the file with a fixed module or the previous one",
		probationMarks, after(bad, previous), last)}
	s.ban(bad, v)
	s.servePrevious(now)
	s.failure = v.failure(bad.Name(), bad.ContentSum(), bad.FileSum(), now)
	return bad, previous
}

// servePrevious makes the previous version serve again.
func (s *entry) servePrevious(now time.Time) {
	s.serving, s.since, s.previous = s.previous.Module, now, nil
}

// after names the previous version of a module.
func after(m, previous *module.Module) string {
	if m.Digest() == previous.Digest() { // only the sidecar differs
		return "the same module with its previous sidecar"
	}
	return "the previous version (sha256 " + foreign.Digest(previous.Digest()) + ")"
}
