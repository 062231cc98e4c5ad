package runtime

import (
	"context"
	"encoding/hex"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
)

// publishResults records the results of jobs, rolls back modules that failed their probation, and
// publishes the next set if anything changed.
func (r *Registry) publishResults(jobs []*job) {
	r.changing.Lock()
	defer r.changing.Unlock()
	r.mu.Lock()
	r.checkProbation(time.Now()) // first: a bad version that is replaced is banned too
	for _, j := range jobs {
		switch {
		case j.recorded || j.postponed:
		case j.dropped:
			if j.module != nil {
				j.module.Close()
			}
		default:
			r.record(j, time.Now())
			j.recorded = true
			delete(r.jobs, j.name.Base)
		}
	}
	next := r.nextSet()
	r.mu.Unlock()
	if next != nil {
		r.publish(next)
	}
}

// record records the result of a job: the module serves, or the failure is kept. r.mu is held.
func (r *Registry) record(j *job, now time.Time) {
	s, file, digest := r.slots[j.name.Base], j.name.File, hex.EncodeToString(j.file.Sum[:])
	if j.err != nil {
		r.recordFailure(s, j, now)
		return
	}
	r.beginProbation(s, j.module, now)
	took := j.module.Facts().Took.Round(time.Millisecond)
	if old := s.serving; old != nil {
		r.metrics.info.DeleteLabelValues(old.Name(), old.Digest())
		if old.Name() != file {
			r.metrics.forget(old.Name())
		}
		attrs := []any{"module", file, "sha256", foreign.Digest(digest), "before", foreign.Digest(old.Digest()), "took", took}
		if old.Digest() == digest {
			attrs = append(attrs, "changed", "sidecar")
		}
		if p := s.previous; p != nil {
			attrs = append(attrs, "probation", r.config.Probation, "previous", foreign.Digest(p.Digest()))
		}
		r.logger.Info("module replaced", attrs...)
	} else {
		r.logger.Info("module loaded", "module", file, "sha256", foreign.Digest(digest), "edges", edgeList(j.name.Edges()), "abi", j.module.ABI(), "took", took)
	}
	s.serving, s.since, s.failure, s.present = j.module, now, nil, true
	r.metrics.info.WithLabelValues(file, digest).Set(1)
	r.metrics.reloadOK.WithLabelValues(file).Set(1)
	r.metrics.reloadTime.WithLabelValues(file).Set(float64(now.UnixMilli()) / 1000)
	r.metrics.orphaned.WithLabelValues(file).Set(0)
	r.metrics.declared.WithLabelValues(file).Set(float64(j.module.Facts().FieldCount))
	r.metrics.rollbacks.WithLabelValues(file) // from 0: an alert on the increase would miss a series that begins with 1
}

// recordFailure records that a job failed, and when it is retried. r.mu is held.
func (r *Registry) recordFailure(s *slot, j *job, now time.Time) {
	file, tries, most, level := j.name.File, 1, retryMax, slog.LevelError
	if s.failure != nil && s.failure.contentSum == j.contentSum() {
		tries, level = s.failure.tries+1, slog.LevelDebug // the first failure was logged
	}
	if load.IsBusy(j.err) {
		most = retryBusy
	}
	pause := min(retryFirst<<min(tries-1, 16), most)
	s.failure = &failure{file: file, digest: j.file.Sum, contentSum: j.contentSum(), err: j.err, at: now, tries: tries, retryAt: now.Add(pause)}
	r.metrics.reloadOK.WithLabelValues(file).Set(0)
	r.metrics.reloadFailure.WithLabelValues(file).Inc()
	r.logger.Log(context.Background(), level, "module refused", "module", file, "sha256", foreign.Digest(digestOf(j.file.Sum)), "err", j.err, "instead", s.instead())
}

// recordDenied records that the checksums do not allow a module, or that its file could not be
// read. Only a change of the directory can lift that, so there is no retry. r.mu is held.
func (r *Registry) recordDenied(j *job, why error, now time.Time) {
	base, file := j.name.Base, j.name.File
	r.drop(base)
	s := r.slots[base]
	if s == nil {
		s = &slot{}
		r.slots[base] = s
	}
	s.present = true
	if f := s.failure; f != nil && f.file == file && f.contentSum == j.contentSum() && f.retryAt.IsZero() && f.err.Error() == why.Error() {
		return // it is recorded
	}
	s.failure = &failure{file: file, digest: j.file.Sum, contentSum: j.contentSum(), err: why, at: now}
	r.metrics.reloadOK.WithLabelValues(file).Set(0)
	r.metrics.reloadFailure.WithLabelValues(file).Inc()
	if r.list.Problem() != nil {
		return // logged once for all files
	}
	r.logger.Error("module refused", "module", file, "sha256", foreign.Digest(digestOf(j.file.Sum)), "err", why, "instead", s.instead())
}

// recordRejected replaces the rejected files, and logs those that are new. r.mu is held.
func (r *Registry) recordRejected(reasons map[string]string, now time.Time) {
	rejected := map[string]rejectedFile{}
	for _, file := range slices.Sorted(maps.Keys(reasons)) {
		reason := reasons[file]
		if before, known := r.rejected[file]; known && before.reason == reason {
			rejected[file] = before
			continue
		}
		rejected[file] = rejectedFile{reason, now}
		r.logger.Warn("ignoring file", "file", file, "reason", reason)
	}
	r.rejected = rejected
}

// digestOf is a digest in hexadecimal; empty for a file that could not be read.
func digestOf(sum [32]byte) string {
	if sum == [32]byte{} {
		return ""
	}
	return hex.EncodeToString(sum[:])
}
