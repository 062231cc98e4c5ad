package runtime

import (
	"log/slog"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/load"
)

// Failed content is retried after a second, then after twice that and so on: a module that failed
// for lack of memory may load later.
const (
	retryFirst = time.Second
	retryMax   = 5 * time.Minute
	retryBusy  = 10 * time.Second // if the machine was busy, which passes
)

// record records the result of a job: the module serves, or the failure is kept.
func (st *state) record(j *job, now time.Time) {
	s := st.entry(j.name.Base)
	if j.err != nil {
		st.recordFailure(s, j, now)
		return
	}
	if !st.fits(j, now) {
		return
	}
	st.beginProbation(s, j.module, now)
	old := s.serving
	s.serving, s.since, s.failure, s.present = j.module, now, nil, true
	st.journal.loaded(j, old, s, st.probation, now)
}

// recordFailure records that a job failed, and when it is retried. It leaves s.serving as it is: so the
// last good module goes on serving.
func (st *state) recordFailure(s *entry, j *job, now time.Time) {
	tries, most, level := 1, retryMax, slog.LevelError
	if s.failure != nil && s.failure.contentSum == j.contentSum() {
		tries, level = s.failure.tries+1, slog.LevelDebug // the first failure was logged
	}
	if load.IsBusy(j.err) {
		most = retryBusy
	}
	pause := min(retryFirst<<min(tries-1, 16), most)
	s.failure = &failure{file: j.name.File, digest: j.file.Sum, contentSum: j.contentSum(), err: j.err, at: now, tries: tries, retryAt: now.Add(pause)}
	st.journal.failed(j, s, level)
}

// fits reports whether a module that was loaded may serve its kind, beside those that serve. If not,
// it closes the module and rejects its file.
func (st *state) fits(j *job, now time.Time) bool {
	err := checkVersions(st.entries, j.name)
	if err == nil {
		return true
	}
	j.module.Close()
	delete(st.entries, j.name.Base) // it has no serving module
	st.rejected[j.name.File] = rejectedFile{err.Error(), now}
	st.journal.ignored(j.name.File, err.Error())
	return false
}
