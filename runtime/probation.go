package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// beginProbation puts the next serving module on probation. Its previous version is the last one
// that passed its own probation: a version that was replaced before has proved nothing. r.mu is
// held.
func (r *Registry) beginProbation(s *slot, candidate *module.Module, now time.Time) {
	previous := s.serving
	if p := s.previous; p != nil {
		previous = p.Module
	}
	r.endProbation(s)
	if previous == nil || r.config.Probation <= 0 || previous.ContentSum() == candidate.ContentSum() {
		return
	}
	s.previous = &PreviousModule{Module: previous, newer: candidate, length: r.config.Probation, until: now.Add(r.config.Probation), rollBack: r.requestRollback,
		batches: r.metrics.previous.WithLabelValues(candidate.Name()), logger: r.logger.With("module", candidate.Name())}
	r.metrics.probation.WithLabelValues(candidate.Name()).Set(1)
}

// endProbation ends the probation of a slot, if there is one. r.mu is held.
func (r *Registry) endProbation(s *slot) {
	if s.previous != nil {
		s.previous = nil
		r.metrics.probation.WithLabelValues(s.serving.Name()).Set(0)
	}
}

// checkProbation ends the probations whose period is over, and rolls back modules that failed too
// often. r.mu is held.
func (r *Registry) checkProbation(now time.Time) {
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
			if marks > 0 { // rare objects may fail from now on without a fallback
				level = slog.LevelWarn
			}
			r.logger.Log(context.Background(), level, "module passed probation", "module", s.serving.Name(), "sha256", foreign.Digest(s.serving.Digest()),
				"batches", s.serving.Activity(now).Calls, "failed", marks, "of", probationMarks)
		}
	}
}

// requestRollback makes Run check probations soon, also while modules are being loaded.
func (r *Registry) requestRollback() {
	select {
	case r.rollbacks <- struct{}{}:
	default: // a request is pending
	}
}

// maxBanned is the most bad contents of one module that are remembered: more than an operator tries
// in a day.
const maxBanned = 16

// ban remembers content that must not be loaded again. r.mu is held.
func (r *Registry) ban(s *slot, m *module.Module, v verdict) {
	if s.banned == nil || len(s.banned) >= maxBanned {
		s.banned = map[[32]byte]verdict{}
	}
	s.banned[m.ContentSum()] = v
}

// rollBack makes the previous version serve again and bans the content that failed. r.mu is held.
func (r *Registry) rollBack(s *slot, last string, now time.Time) {
	bad, previous := s.serving, s.previous.Module
	file := bad.Name()
	v := verdict{at: now, err: fmt.Errorf("rolled back: on probation it failed %d batches that %s converted; last failure: %s. This gateway does not load it again, but a restarted one would: replace the file with a fixed module or the previous one",
		probationMarks, after(bad, previous), last)}
	r.ban(s, bad, v)
	r.servePrevious(s, now)
	s.failure = v.failure(file, bad.ContentSum(), bad.FileSum(), now)
	r.metrics.reloadOK.WithLabelValues(file).Set(0)
	r.metrics.rollbacks.WithLabelValues(file).Inc()
	r.logger.Error("module rolled back", "module", file, "sha256", foreign.Digest(bad.Digest()), "previous", foreign.Digest(previous.Digest()), "failed", probationMarks, "err", last)
}

// after names the previous version of a module.
func after(m, previous *module.Module) string {
	if m.Digest() == previous.Digest() { // only the sidecar differs
		return "the same module with its previous sidecar"
	}
	return "the previous version (sha256 " + foreign.Digest(previous.Digest()) + ")"
}

// servePrevious makes the previous version serve again. r.mu is held.
func (r *Registry) servePrevious(s *slot, now time.Time) {
	newer, previous := s.serving, s.previous.Module
	r.endProbation(s)
	s.serving, s.since = previous, now
	r.metrics.info.DeleteLabelValues(newer.Name(), newer.Digest())
	r.metrics.info.WithLabelValues(previous.Name(), previous.Digest()).Set(1)
	r.metrics.reloadTime.WithLabelValues(previous.Name()).Set(float64(now.UnixMilli()) / 1000)
	r.metrics.declared.WithLabelValues(previous.Name()).Set(float64(previous.Facts().FieldCount))
}
