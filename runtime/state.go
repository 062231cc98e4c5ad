package runtime

import (
	"time"

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

	reserved reservations
	entries  map[string]*entry       // by the base of a module's name
	rejected map[string]rejectedFile // files that are not used, by name
	list     *sums.Check             // the verdict of SHA256SUMS on the files; never nil
	listed   map[string]rejectedFile // why it allows no file, and since when, by owner
	problems problems
	current  *Set // the set that was published last; nil before the first
}

func newState(j *journal, probation time.Duration, rollBack func()) *state {
	return &state{journal: j, probation: probation, rollBack: rollBack, entries: map[string]*entry{}, rejected: map[string]rejectedFile{}, list: &sums.Check{},
		listed: map[string]rejectedFile{}, problems: problems{}}
}

// entry returns the entry of a module, a new one if there is none.
func (st *state) entry(base string) *entry {
	s := st.entries[base]
	if s == nil {
		s = &entry{}
		st.entries[base] = s
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
	for base, s := range st.entries {
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
