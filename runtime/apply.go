package runtime

import (
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// apply carries out a plan, and returns the content to load. r.mu is held.
func (r *Registry) apply(p plan, now time.Time) (jobs []*job) {
	for _, base := range p.dropped {
		r.drop(base)
	}
	for _, s := range p.steps {
		if s.do == deny {
			r.recordDenied(s.job, s.why, now)
		} else if r.applyStep(s, now) {
			jobs = append(jobs, s.job)
		}
	}
	for base, slot := range r.slots {
		r.recordPresence(base, slot, p.present[base], p.removed[base], now)
	}
	r.recordRejected(p.rejected, now)
	return jobs
}

// applyStep records the decision about a file that the directory has, and reports whether it is to
// be loaded. r.mu is held.
func (r *Registry) applyStep(s step, now time.Time) (load bool) {
	base, file, contentSum := s.job.name.Base, s.job.name.File, s.job.contentSum()
	known := r.slots[base]
	if known == nil {
		known = &slot{}
		r.slots[base] = known
	}
	known.present = true
	if pending := r.jobs[base]; pending != nil && (pending.contentSum() != contentSum || pending.name.File != file) {
		r.drop(base)
	}
	switch s.do {
	case revive:
		if known.failure != nil { // the old content was restored
			known.failure = nil
			r.metrics.reloadOK.WithLabelValues(file).Set(1)
			r.logger.Info("module file has the serving content again", "module", file, "sha256", foreign.Digest(known.serving.Digest()))
		}
	case refuse:
		if f := known.failure; f == nil || f.contentSum != contentSum || f.file != file {
			v := known.banned[contentSum]
			known.failure = v.failure(file, contentSum, s.job.file.Sum, now)
			r.metrics.reloadOK.WithLabelValues(file).Set(0)
			r.logger.Error("module refused", "module", file, "sha256", foreign.Digest(digestOf(s.job.file.Sum)), "err", v.err, "instead", known.instead())
		}
	}
	return s.do == begin
}

// recordPresence records whether a module's file exists, and takes a removed module out of service.
// r.mu is held.
func (r *Registry) recordPresence(base string, s *slot, present, removed bool, now time.Time) {
	if removed || !present {
		r.drop(base)
	}
	switch {
	case removed:
		if s.serving != nil {
			r.logger.Info("module taken out of service", "module", s.serving.Name(), "by", base+Tombstone)
			r.metrics.forget(s.serving.Name())
		}
		delete(r.slots, base)
	case !present && s.present:
		s.present = false
		if s.serving == nil {
			if s.failure != nil {
				r.metrics.forget(s.failure.file)
			}
			delete(r.slots, base)
			return
		}
		s.failure = nil
		r.metrics.orphaned.WithLabelValues(s.serving.Name()).Set(1)
		r.logger.Warn("module file was deleted; the module serves until the gateway restarts or "+base+Tombstone+" takes it out of service", "module", s.serving.Name())
	case present && !s.present:
		s.present = true
		if s.serving != nil {
			r.metrics.orphaned.WithLabelValues(s.serving.Name()).Set(0)
		}
	case present && s.serving != nil:
		r.metrics.orphaned.WithLabelValues(s.serving.Name()).Set(0)
	}
}

// enqueue records the jobs of a scan. It postpones those whose content has failed before and
// returns the others. r.mu is held.
func (r *Registry) enqueue(jobs []*job, now time.Time) (fresh []*job) {
	for _, j := range jobs {
		j.since = now
		r.jobs[j.name.Base] = j
		if j.again {
			j.postponed = true
			r.slow = append(r.slow, j)
		} else {
			fresh = append(fresh, j)
		}
	}
	return fresh
}
