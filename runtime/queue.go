package runtime

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// queue has the content that is loaded or waits for it, and decides which is next. It is safe for
// concurrent use, and calls nothing that waits.
//
// The owners take turns, and the kinds of each owner: the kind that has used least loading time is
// next, so that the slow files of one kind delay another kind by one try at most. A kind that has no
// serving module starts with a handicap, and slow content with a larger one. Slow content is content
// that overran a try or has failed before: one such job is loaded at a time, and new content
// interrupts it. So a file that is built to load for ever delays only itself.
type queue struct {
	limit   func(size, overran int) time.Duration // of a try; 0: none
	journal *journal
	most    int // jobs at their first try that are loaded at a time
	owners  int

	mu      sync.Mutex
	changed *sync.Cond      // a job may be next that could not be before
	jobs    map[string]*job // all jobs without a claimed result, by the base of their module
	urgency urgency         // decides which is next
	loading int             // jobs at their first try that are being loaded
	slow    *job            // the slow job that is being loaded
	late    map[string]bool // kinds of which a first try overran
	wasted  time.Duration   // in first tries that overran

	spent map[string]time.Duration // in first tries, by owner
	lost  map[string]time.Duration // of spent, in tries that gave no module
}

// errPreempted ends a try in favour of new content; errDropped ends a try whose content was
// replaced.
var (
	errPreempted = errors.New("loading the module was interrupted for new content")
	errDropped   = errors.New("the module's file changed while it was loaded")
)

func newQueue(first []artifact.Edge, limit func(size, overran int) time.Duration, j *journal, most int) *queue {
	q := &queue{urgency: urgency{first: first}, limit: limit, journal: j, most: most, jobs: map[string]*job{}, late: map[string]bool{}, spent: map[string]time.Duration{}, lost: map[string]time.Duration{}}
	q.changed = sync.NewCond(&q.mu)
	return q
}

// update replaces content that waits: it drops the jobs of modules, then adds new ones. serving are
// the kinds that serve. It returns the jobs with results that waited for a dropped one.
func (q *queue) update(dropped []string, jobs []*job, serving map[string]bool) (done []*job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.urgency.serving = serving
	for _, base := range dropped {
		done = append(done, q.drop(base)...)
	}
	cohorts := map[string]*cohort{} // by kind
	for _, j := range jobs {
		done = append(done, q.drop(j.name.Base)...)
		q.jobs[j.name.Base] = j
		q.urgency.turns.Join(j.name.Owner, j.kind())
		if j.again {
			continue
		}
		if cohorts[j.kind()] == nil {
			cohorts[j.kind()] = &cohort{}
		}
		j.cohort = cohorts[j.kind()]
		j.cohort.left++
	}
	if q.slow != nil && slices.ContainsFunc(jobs, func(j *job) bool { return !j.slow() && q.urgency.precedes(j, q.slow) }) {
		q.slow.stop(errPreempted)
	}
	q.changed.Broadcast()
	return done
}

// drop forgets the content of a module. q.mu is held.
func (q *queue) drop(base string) (done []*job) {
	j := q.jobs[base]
	if j == nil {
		return nil
	}
	delete(q.jobs, base)
	j.dropped = true
	if j.loading {
		j.stop(errDropped) // finish pays for the try
	} else {
		q.urgency.turns.Leave(j.name.Owner, j.kind())
		j.close()
	}
	return j.tried(false)
}

// next waits for the job that is next and begins its try, which end ends. It returns nil when ctx
// ends.
func (q *queue) next(ctx context.Context) (j *job, tried context.Context, end func() time.Duration) {
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.changed.Broadcast()
	})()
	q.mu.Lock()
	defer q.mu.Unlock()
	for j = q.pick(); j == nil && ctx.Err() == nil; j = q.pick() {
		q.changed.Wait()
	}
	if ctx.Err() != nil {
		return nil, nil, nil
	}
	j.loading = true
	limit, processor := q.tryTime(j), time.Duration(0)
	if j.slow() {
		q.slow = j
	} else {
		q.loading++
		q.journal.loading(j)
		processor = load.FirstTry(j.file.Size)
	}
	cancellable, stop := context.WithCancelCause(ctx)
	j.stop = stop
	tried, endTry := load.WithTry(cancellable, limit, processor)
	return j, tried, func() time.Duration { defer stop(nil); return endTry() }
}

// pick returns the job that is next; nil if there is none that may be loaded now. q.mu is held.
func (q *queue) pick() *job {
	best, slow := q.first(false), q.first(true)
	switch {
	case slow != nil && q.slow == nil && (best == nil && q.loading == 0 || best != nil && q.urgency.precedes(slow, best)):
		return slow
	case q.loading >= q.most:
		return nil
	}
	return best
}

// first returns the job that waits and goes before all others that are slow, or not slow, like it:
// of each owner the most urgent one, and of these the one whose owner has used least. q.mu is held.
func (q *queue) first(slow bool) (first *job) {
	urgent := map[string]*job{} // by owner
	for _, j := range q.jobs {
		if j.loading || j.finished() || j.slow() != slow {
			continue
		}
		if other := urgent[j.name.Owner]; other == nil || q.urgency.compare(j, other) < 0 {
			urgent[j.name.Owner] = j
		}
	}
	for _, j := range urgent {
		if first == nil || q.urgency.precedes(j, first) {
			first = j
		}
	}
	return first
}

// tryTime returns the time limit of a job's next try; 0 means that only the limits of loading
// itself apply.
func (q *queue) tryTime(j *job) time.Duration {
	if j.again {
		return 0
	}
	return q.limit(j.file.Size, j.overran)
}

// finish records the result of a try that took so long, and returns the jobs whose results are to
// be recorded now. cause is the reason if the try was ended.
func (q *queue) finish(j *job, m *module.Module, err error, took time.Duration, cause error) (done []*job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.changed.Broadcast()
	first, kind := !j.slow(), j.kind()
	if j.loading = false; first {
		q.loading--
		if q.spent[j.name.Owner] += took; err != nil {
			q.lost[j.name.Owner] += took
		}
	} else {
		q.slow = nil
	}
	if !errors.Is(cause, errPreempted) { // an interrupted try is not the kind's fault
		q.urgency.turns.Charge(j.name.Owner, kind, took)
	}
	if j.dropped {
		q.urgency.turns.Leave(j.name.Owner, kind)
		if m != nil {
			m.Close()
		}
		return nil
	}
	limit := q.tryTime(j)
	switch {
	case err == nil:
	case errors.Is(err, ErrChanged): // the next scan finds the new content
		delete(q.jobs, j.name.Base)
		q.urgency.turns.Leave(j.name.Owner, kind)
		return j.tried(false)
	case errors.Is(cause, errPreempted):
		j.interrupted++
		return nil
	case errors.Is(cause, load.ErrOverran), load.IsBusy(err) && (first || limit > 0):
		q.journal.postponed(j, limit, err)
		if first {
			q.late[kind] = true
			q.wasted += took
		}
		j.overran++
		return j.tried(false)
	}
	j.module, j.err = m, err
	return j.tried(true)
}

// claim takes a job with a result out of the queue. It returns false if the job was dropped: then
// its module is closed.
func (q *queue) claim(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if j.dropped || q.jobs[j.name.Base] != j {
		return false
	}
	delete(q.jobs, j.name.Base)
	q.urgency.turns.Leave(j.name.Owner, j.kind())
	return true
}

// close closes the modules of all jobs, after the workers have ended.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.jobs {
		j.close()
	}
}
