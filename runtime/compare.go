package runtime

import (
	"errors"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// compare returns the chosen files that differ from the serving modules and have to be loaded. It
// records denied files, and which modules have a file. r.mu is held.
func (r *Registry) compare(chosen []*job, c *contents, s Scan, now time.Time) (jobs []*job) {
	r.compareSkipped(c, s.Unsettled, now)
	for _, j := range chosen {
		base := j.name.Base
		if s.Checksums.Waits() || j.unread != "" && s.Unsettled {
			continue // the list or the sidecar may be being written: the next snapshot is near
		}
		denied := j.denied
		if slot := r.slots[base]; denied == nil && slot != nil && slot.serving != nil && slot.serving.ContentSum() != j.contentSum() {
			denied = s.Checksums.Whole()
		}
		if denied != nil {
			r.recordDenied(j, denied, now)
		} else if r.isNew(j, now) {
			jobs = append(jobs, j)
		}
	}
	for base, slot := range r.slots {
		_, removed := c.removals[base]
		r.recordPresence(base, slot, c.present[base], removed, now)
	}
	return jobs
}

// compareSkipped records files that could not be read. If no packing of a module can be read, the
// module fails like one that does not load, so that a user whose conversion is missing learns the
// reason. While a file is being written, a known failure stands: the next snapshot is near. r.mu is
// held.
func (r *Registry) compareSkipped(c *contents, unsettled bool, now time.Time) {
	failed := map[string]bool{}
	for _, f := range c.skipped {
		name, err := artifact.ParseName(f.Name)
		_, removed := c.removals[name.Base]
		switch {
		case err == nil && !unsettled && !removed && c.modules[name.Base] == nil && !failed[name.Base]:
			failed[name.Base] = true
			r.recordDenied(&job{name: name, file: watch.File{Name: f.Name}}, errors.New("it "+f.Reason), now)
		case unsettled && r.hasFailed(f.Name):
		default:
			c.rejected[f.Name] = f.Reason
		}
	}
}

// isNew reports whether a file has to be loaded: it does not serve, is not banned, and has not
// failed recently. r.mu is held.
func (r *Registry) isNew(j *job, now time.Time) bool {
	base, file, contentSum := j.name.Base, j.name.File, j.contentSum()
	s := r.slots[base]
	if s == nil {
		r.slots[base] = &slot{present: true}
		return true
	}
	s.present = true
	if p := r.jobs[base]; p != nil {
		if p.contentSum() == contentSum && p.name.File == file {
			return false // it is postponed, and will be loaded
		}
		r.drop(base)
	}
	if s.serving != nil && s.serving.ContentSum() == contentSum && s.serving.Name() == file {
		if s.failure != nil { // the old content was restored
			s.failure = nil
			r.metrics.reloadOK.WithLabelValues(file).Set(1)
			r.logger.Info("module file has the serving content again", "module", file, "sha256", foreign.Digest(s.serving.Digest()))
		}
		return false
	}
	known := s.failure != nil && s.failure.contentSum == contentSum && s.failure.file == file
	if v, found := s.banned[contentSum]; found {
		if !known {
			s.failure = v.failure(file, contentSum, j.file.Sum, now)
			r.metrics.reloadOK.WithLabelValues(file).Set(0)
			r.logger.Error("module refused", "module", file, "sha256", foreign.Digest(digestOf(j.file.Sum)), "err", v.err, "instead", s.instead())
		}
		return false
	}
	if !known {
		return true
	}
	j.again = !s.failure.retryAt.IsZero() // otherwise it was denied, and now is not
	return !now.Before(s.failure.retryAt)
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

// hasFailed reports whether the reason why a file does not serve is recorded. r.mu is held.
func (r *Registry) hasFailed(file string) bool {
	name, err := artifact.ParseName(file)
	if err != nil {
		return false
	}
	s := r.slots[name.Base]
	return s != nil && s.failure != nil && s.failure.file == file
}
