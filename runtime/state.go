package runtime

import (
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// state has the modules of a registry and the verdicts on its files. Its methods record decisions
// and results; none of them loads, reads or publishes anything. It has no lock: the registry guards
// it.
type state struct {
	journal   *journal
	probation time.Duration // Config.Probation
	rollBack  func()        // requests a call of checkProbation; it does not block

	reserved map[string]string       // owners by kind
	slots    map[string]*slot        // by the base of a module's name
	rejected map[string]rejectedFile // files that are not used, by name
	list     *sums.Check             // the verdict of SHA256SUMS on the files; never nil
	listed   map[string]rejectedFile // why it allows no file, and since when, by owner
	problems problems
	current  *Set // the set that was published last; nil before the first
}

func newState(j *journal, probation time.Duration, rollBack func()) *state {
	return &state{journal: j, probation: probation, rollBack: rollBack, slots: map[string]*slot{}, rejected: map[string]rejectedFile{}, list: &sums.Check{},
		listed: map[string]rejectedFile{}, problems: problems{}}
}

// slot returns the slot of a module, a new one if there is none.
func (st *state) slot(base string) *slot {
	s := st.slots[base]
	if s == nil {
		s = &slot{}
		st.slots[base] = s
	}
	return s
}

// nextCheck returns when the first failure of an owner's file may be retried or the first probation
// of its modules ends; the zero time if there is neither. It ignores the failures of modules that are
// being loaded.
func (st *state) nextCheck(owner string, loading func(base string) bool) (next time.Time) {
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for base, s := range st.slots {
		if of, _ := watch.SplitOwner(base); of != owner {
			continue
		}
		if s.failure != nil && !loading(base) {
			sooner(s.failure.retryAt)
		}
		if s.previous != nil {
			_, _, until := s.previous.account()
			sooner(until)
		}
	}
	return next
}

// checkProbation ends the probations whose period is over, and rolls back modules that failed too
// often.
func (st *state) checkProbation(now time.Time) {
	for _, s := range st.slots {
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

// checkOverruns takes modules out of service that have a call past its deadline.
func (st *state) checkOverruns(now time.Time) {
	for _, s := range st.slots {
		if s.previous != nil && s.previous.Module.LookForOverrun(now) {
			st.journal.previousOverran(s.serving, s.previous.Module)
			s.previous = nil
		}
		if s.serving != nil && s.serving.LookForOverrun(now) {
			st.withdraw(s, now)
		}
	}
}

// withdraw takes a module that overran out of service. If it was on probation, the previous version
// serves again.
func (st *state) withdraw(s *slot, now time.Time) {
	bad := s.serving
	s.withdraw(now)
	if s.serving == nil && !s.present {
		delete(st.slots, bad.FileName().Base)
	}
	st.journal.withdrawn(bad, s, now)
}

// beginProbation puts the next serving module of a slot on probation. Its previous version is the
// last one that passed its own probation: a version that was replaced before has proved nothing.
func (st *state) beginProbation(s *slot, candidate *module.Module, now time.Time) {
	previous := s.serving
	if p := s.previous; p != nil {
		previous = p.Module
		s.previous = nil
		st.journal.endedProbation(s.serving)
	}
	if previous == nil || st.probation <= 0 || previous.ContentSum() == candidate.ContentSum() {
		return
	}
	s.previous = &PreviousModule{Module: previous, newer: candidate, length: st.probation, until: now.Add(st.probation), rollBack: st.rollBack,
		batches: st.journal.metrics.previous.WithLabelValues(candidate.Name()), logger: st.journal.logger.With("module", candidate.Name())}
	st.journal.metrics.probation.WithLabelValues(candidate.Name()).Set(1)
}
