package runtime

import (
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// apply records a plan, and returns the content to load.
func (st *state) apply(p plan, now time.Time) (jobs []*job) {
	for _, s := range p.steps {
		if s.do == deny {
			st.recordDenied(s.job, s.why, now)
		} else if st.applyStep(s, now) {
			s.job.since = now
			jobs = append(jobs, s.job)
		}
	}
	for base, entry := range st.entries {
		st.recordPresence(base, entry, p.present[base], p.removed[base])
	}
	st.recordRejected(p.rejected, now)
	return jobs
}

// applyStep records the decision about a file that the directory has, and reports whether it is to
// be loaded.
func (st *state) applyStep(s step, now time.Time) (load bool) {
	file, contentSum := s.job.name.File, s.job.contentSum()
	entry := st.entry(s.job.name.Base)
	entry.present = true
	switch s.do {
	case revive:
		if entry.failure != nil { // the old content was restored
			entry.failure = nil
			st.journal.restored(file, entry.serving)
		}
	case refuse:
		if f := entry.failure; f == nil || f.contentSum != contentSum || f.file != file {
			v := entry.banned[contentSum]
			entry.failure = v.failure(file, contentSum, s.job.file.Sum, now)
			st.journal.refused(s.job, entry, slog.LevelError, v.err)
		}
	}
	return s.do == begin
}

// recordPresence records whether a module's file exists, and takes a removed module out of service.
func (st *state) recordPresence(base string, s *entry, present, removed bool) {
	switch {
	case removed:
		if s.serving != nil {
			st.journal.removed(s.serving, base+Tombstone)
		}
		delete(st.entries, base)
	case !present && s.present:
		s.present = false
		if s.serving == nil {
			if s.failure != nil {
				st.journal.metrics.forget(s.failure.file)
			}
			delete(st.entries, base)
			return
		}
		s.failure = nil
		st.journal.orphan(s.serving, base+Tombstone)
	case present && !s.present:
		s.present = true
		if s.serving != nil {
			st.journal.found(s.serving)
		}
	case present && s.serving != nil:
		st.journal.found(s.serving)
	}
}

// recordDenied records that the checksums do not allow a module, or that its file could not be
// read. Only a change of the directory can lift that, so there is no retry.
func (st *state) recordDenied(j *job, why error, now time.Time) {
	s := st.entry(j.name.Base)
	s.present = true
	if f := s.failure; f != nil && f.file == j.name.File && f.contentSum == j.contentSum() && f.retryAt.IsZero() && f.err.Error() == why.Error() {
		return // it is recorded
	}
	s.failure = &failure{file: j.name.File, digest: j.file.Sum, contentSum: j.contentSum(), err: why, at: now}
	st.journal.denied(j, s, why, st.list.For(j.name.Owner).Problem() == nil) // a problem of the list is logged once for all files
}

// recordRejected replaces the rejected files, and logs those that are new.
func (st *state) recordRejected(reasons map[string]string, now time.Time) {
	rejected := map[string]rejectedFile{}
	for _, file := range slices.Sorted(maps.Keys(reasons)) {
		reason := reasons[file]
		if before, known := st.rejected[file]; known && before.reason == reason {
			rejected[file] = before
			continue
		}
		rejected[file] = rejectedFile{reason, now}
		st.journal.ignored(file, reason)
	}
	st.rejected = rejected
}

// recordChecksums records the verdict of the SHA256SUMS of each owner, and logs those that are new.
func (st *state) recordChecksums(owners []string, all *sums.Check, now time.Time) {
	before := st.list
	st.list = all
	for _, owner := range owners {
		list := all.For(owner)
		if _, known := st.listed[owner]; !known {
			st.listed[owner] = rejectedFile{}
		}
		if list.Waits() {
			continue
		}
		why := ""
		if problem := list.Problem(); problem != nil {
			why = problem.Error()
		}
		sum, _ := list.Sum()
		listed := st.listed[owner]
		if oldSum, _ := before.For(owner).Sum(); oldSum == sum && listed.reason == why && !listed.at.IsZero() {
			continue
		}
		st.listed[owner] = rejectedFile{why, now}
		st.journal.listChanged(owner, list, why)
	}
}
