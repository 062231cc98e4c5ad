package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// beginProbation puts the module that is about to take the place of the one that serves on probation. The version to go back to is the last that got through its own: one
// that was replaced before that has proved nothing. r.mu is held.
func (r *Registry) beginProbation(s *slot, candidate *module.Module, now time.Time) {
	previous := s.serving
	if p := s.previous; p != nil {
		previous = p.Module
	}
	r.endProbation(s)
	if previous == nil || r.config.Probation <= 0 || previous.Identity() == candidate.Identity() {
		return
	}
	s.previous = &PreviousModule{Module: previous, newer: candidate, length: r.config.Probation, until: now.Add(r.config.Probation), condemned: r.askToGoBack,
		batches: r.metrics.previous.WithLabelValues(candidate.Name()), logger: r.logger.With("module", candidate.Name())}
	r.metrics.probation.WithLabelValues(candidate.Name()).Set(1)
}

// endProbation ends that of a slot, if there is one. r.mu is held.
func (r *Registry) endProbation(s *slot) {
	if s.previous != nil {
		s.previous = nil
		r.metrics.probation.WithLabelValues(s.serving.Name()).Set(0)
	}
}

// judge ends the probations whose time is up, and goes back where a module did not stand the test. r.mu is held.
func (r *Registry) judge(now time.Time) {
	for _, s := range r.slots {
		if s.previous == nil {
			continue
		}
		switch marks, last, until := s.previous.account(); {
		case marks >= probationMarks:
			r.rollBack(s, last, now)
		case !now.Before(until):
			r.endProbation(s)
			level := slog.LevelInfo
			if marks > 0 { // rare objects may be to come that it fails, with nobody to stand in
				level = slog.LevelWarn
			}
			r.logger.Log(context.Background(), level, "module passed probation", "module", s.serving.Name(), "sha256", foreign.Digest(s.serving.Digest()),
				"batches", s.serving.Activity(now).Calls, "failed", marks, "of", probationMarks)
		}
	}
}

// askToGoBack has Run go back soon, whatever else the registry is busy with.
func (r *Registry) askToGoBack() {
	select {
	case r.condemned <- struct{}{}:
	default: // it has been asked already
	}
}

// maxCondemned is how many bad contents of one module are remembered: more than anybody tries in a day.
const maxCondemned = 16

// verdict is what is remembered of content that was rolled back, or taken out of service because a call of it overran.
type verdict struct {
	err     error
	at      time.Time
	overrun bool // a call of it overran, which is no roll back
}

// failure returns the failure of content with a verdict, found at a time in a file: it is not tried again.
func (v verdict) failure(file string, identity, digest [32]byte, now time.Time) *failure {
	f := &failure{file: file, identity: identity, digest: digest, err: v.err, at: now, tries: 1, overrun: v.overrun}
	if !v.overrun {
		f.rolledBack = v.at
	}
	return f
}

// condemn remembers content that is not to be loaded again. r.mu is held.
func (r *Registry) condemn(s *slot, m *module.Module, v verdict) {
	if s.condemned == nil || len(s.condemned) >= maxCondemned {
		s.condemned = map[[32]byte]verdict{}
	}
	s.condemned[m.Identity()] = v
}

// rollBack has the version before serve again and remembers the content that failed. r.mu is held.
func (r *Registry) rollBack(s *slot, last string, now time.Time) {
	bad, previous := s.serving, s.previous.Module
	file := bad.Name()
	v := verdict{at: now, err: fmt.Errorf("rolled back: on probation it failed %d batches that %s converted; last failure: %s. This gateway does not load it again, but a restarted one would: replace the file with a fixed module or the previous one",
		probationMarks, after(bad, previous), last)}
	r.condemn(s, bad, v)
	r.restore(s, now)
	s.failure = v.failure(file, bad.Identity(), bad.FileSum(), now)
	r.metrics.reloadOK.WithLabelValues(file).Set(0)
	r.metrics.rollbacks.WithLabelValues(file).Inc()
	r.logger.Error("module rolled back", "module", file, "sha256", foreign.Digest(bad.Digest()), "previous", foreign.Digest(previous.Digest()), "failed", probationMarks, "err", last)
}

// after names the previous version of a module.
func after(m, previous *module.Module) string {
	if m.Digest() == previous.Digest() { // only the sidecar came, went or changed
		return "the same module with its previous sidecar"
	}
	return "the previous version (sha256 " + foreign.Digest(previous.Digest()) + ")"
}

// restore has the version before serve again. r.mu is held.
func (r *Registry) restore(s *slot, now time.Time) {
	newer, previous := s.serving, s.previous.Module
	r.endProbation(s)
	s.serving, s.since = previous, now
	r.metrics.info.DeleteLabelValues(newer.Name(), newer.Digest())
	r.metrics.info.WithLabelValues(previous.Name(), previous.Digest()).Set(1)
	r.metrics.reloadTime.WithLabelValues(previous.Name()).Set(float64(now.UnixMilli()) / 1000)
	r.metrics.declared.WithLabelValues(previous.Name()).Set(float64(previous.Facts().FieldCount))
}
