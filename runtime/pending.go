package runtime

import (
	"maps"
	"time"
)

// The queries of a queue.

// pending returns the jobs by the base of their module. The caller must only read the fields that
// no lock guards.
func (q *queue) pending() map[string]*job {
	q.mu.Lock()
	defer q.mu.Unlock()
	return maps.Clone(q.jobs)
}

// want moves the jobs of a kind forward, because a client has requested its conversions.
func (q *queue) want(group, kind string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.jobs {
		if j.name.Group == group && j.name.Kind == kind {
			j.wanted = true
		}
	}
}

// waiting returns the number of jobs that wait for their first try.
func (q *queue) waiting() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.jobs {
		if !j.loading && !j.finished() && !j.slow() {
			n++
		}
	}
	return n
}

// loadingOf returns the first module of a kind, by name, whose new content is being loaded or waits
// for it; nil if there is none. It ignores content that has failed before: then the failure is the
// message.
func (q *queue) loadingOf(group, kind string) (first *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.jobs {
		if j.name.Group == group && j.name.Kind == kind && !j.again && (first == nil || j.name.File < first.name.File) {
			first = j
		}
	}
	return first
}

// untried reports whether the first try of a module is not over, or its result not recorded; with "",
// that of any module, until first tries that overran have used up the budget. It ignores kinds of
// which a first try overran, and with several owners those whose first tries have used up their own
// budget: otherwise one owner could keep the gateway from becoming ready for the others, or have it
// become ready before it has tried their files.
func (q *queue) untried(base string, budget time.Duration) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if j := q.jobs[base]; base != "" {
		return j != nil && !j.slow() && !q.late[j.kind()] && !q.overspent(j, budget)
	}
	if q.owners <= 1 && q.wasted >= budget {
		return false
	}
	for _, j := range q.jobs {
		if !j.slow() && !q.late[j.kind()] && !q.overspent(j, budget) {
			return true
		}
	}
	return false
}

// overspent reports whether the first tries of a job's owner, one of several, have used up a budget:
// all of them together, or those that gave no module an equal part of it, which suffices for one try.
// q.mu is held.
func (q *queue) overspent(j *job, budget time.Duration) bool {
	owner := j.name.Owner
	return q.owners > 1 && (q.spent[owner] >= budget || q.lost[owner] >= max(budget/time.Duration(q.owners), headStart/4))
}
