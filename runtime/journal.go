package runtime

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// journal reports the events of modules to operators: one log line for each, and the metrics of
// each file. A line about a change of the modules that serve, or of the list that allows them, has
// the field audit and whole digests: docs/use/production.md tells auditors to keep these lines.
type journal struct {
	logger  *slog.Logger
	metrics *metrics
}

// loaded reports a module that begins to serve in place of another, or of none.
func (l *journal) loaded(j *job, old *module.Module, s *entry, probation time.Duration, now time.Time) {
	m := j.module
	file := m.Name()
	text, attrs := "module loaded", []any{"audit", "module", "module", file, "sha256", m.Digest()}
	if j.beside != nil {
		attrs = append(attrs, "sidecar", digestOf(j.beside.Sum))
	}
	if j.signer != "" {
		attrs = append(attrs, "signed", j.signer)
	}
	if old == nil {
		attrs = append(attrs, "edges", edgeList(m.FileName().Edges()), "abi", m.ABI())
	} else {
		l.metrics.info.DeleteLabelValues(old.Name(), old.Digest())
		if old.Name() != file {
			l.metrics.forget(old.Name())
		}
		text, attrs = "module replaced", append(attrs, "before", old.Digest())
		if old.Digest() == m.Digest() {
			attrs = append(attrs, "changed", "sidecar")
		}
		if p := s.previous; p != nil {
			attrs = append(attrs, "probation", probation, "previous", foreign.Digest(p.Digest()))
		}
	}
	l.logger.Info(text, append(attrs, "took", m.Facts().Took.Round(time.Millisecond))...)
	l.metrics.info.WithLabelValues(file, m.Digest()).Set(1)
	l.metrics.reloadOK.WithLabelValues(file).Set(1)
	l.metrics.reloadTime.WithLabelValues(file).Set(float64(now.UnixMilli()) / 1000)
	l.metrics.orphaned.WithLabelValues(file).Set(0)
	l.metrics.declared.WithLabelValues(file).Set(float64(m.Facts().FieldCount))
	l.metrics.rollbacks.WithLabelValues(file) // from 0: an alert on the increase would miss a series that begins with 1
}

// loading reports the begin of a try.
func (l *journal) loading(j *job) {
	l.logger.Info("loading module", "module", j.name.File, "sha256", foreign.Digest(digestOf(j.file.Sum)), "bytes", j.file.Size)
}

// postponed reports content that overran a try.
func (l *journal) postponed(j *job, limit time.Duration, err error) {
	l.logger.Warn("module loads slowly; retrying it after all others", "module", j.name.File, "sha256", foreign.Digest(digestOf(j.file.Sum)),
		"within", limit, "err", err)
}

// failed reports content that did not load.
func (l *journal) failed(j *job, s *entry, level slog.Level) {
	l.metrics.reloadFailure.WithLabelValues(j.name.File).Inc()
	l.refused(j, s, level, j.err)
}

// denied reports content that may not be loaded, in the log unless one line covers all files.
func (l *journal) denied(j *job, s *entry, why error, logged bool) {
	l.metrics.reloadOK.WithLabelValues(j.name.File).Set(0)
	l.metrics.reloadFailure.WithLabelValues(j.name.File).Inc()
	if logged {
		l.refused(j, s, slog.LevelError, why)
	}
}

// refused reports content that does not serve.
func (l *journal) refused(j *job, s *entry, level slog.Level, why error) {
	l.metrics.reloadOK.WithLabelValues(j.name.File).Set(0)
	l.logger.Log(context.Background(), level, "module refused", "module", j.name.File, "sha256", foreign.Digest(digestOf(j.file.Sum)), "err", why, "instead", s.instead())
}

// restored reports that a file has the content that serves again.
func (l *journal) restored(file string, m *module.Module) {
	l.metrics.reloadOK.WithLabelValues(file).Set(1)
	l.logger.Info("module file has the serving content again", "module", file, "sha256", foreign.Digest(m.Digest()))
}

// ignored reports a file that is not used.
func (l *journal) ignored(file, reason string) {
	l.logger.Warn("ignoring file", "file", file, "reason", reason)
}

// removed reports a module that was taken out of service.
func (l *journal) removed(m *module.Module, by string) {
	l.logger.Info("module taken out of service", "audit", "module", "module", m.Name(), "before", m.Digest(), "by", by)
	l.metrics.forget(m.Name())
}

// orphan reports that the file of a serving module was deleted.
func (l *journal) orphan(m *module.Module, tombstone string) {
	l.metrics.orphaned.WithLabelValues(m.Name()).Set(1)
	l.logger.Warn("module file was deleted; the module serves until the gateway restarts or "+tombstone+" takes it out of service", "module", m.Name())
}

// found reports that the file of a serving module exists.
func (l *journal) found(m *module.Module) { l.metrics.orphaned.WithLabelValues(m.Name()).Set(0) }

// rolledBack reports that a module failed on probation and its previous version serves again.
func (l *journal) rolledBack(bad, previous *module.Module, last string, now time.Time) {
	l.previousServes(bad, previous, now)
	l.metrics.reloadOK.WithLabelValues(bad.Name()).Set(0)
	l.metrics.rollbacks.WithLabelValues(bad.Name()).Inc()
	l.logger.Error("module rolled back", "audit", "module", "module", bad.Name(), "sha256", previous.Digest(), "before", bad.Digest(), "failed", probationMarks, "err", last)
}

func (l *journal) previousServes(newer, previous *module.Module, now time.Time) {
	l.metrics.info.DeleteLabelValues(newer.Name(), newer.Digest())
	l.metrics.info.WithLabelValues(previous.Name(), previous.Digest()).Set(1)
	l.metrics.reloadTime.WithLabelValues(previous.Name()).Set(float64(now.UnixMilli()) / 1000)
	l.metrics.declared.WithLabelValues(previous.Name()).Set(float64(previous.Facts().FieldCount))
}

// passedProbation reports that the period of a probation is over.
func (l *journal) passedProbation(m *module.Module, marks int, now time.Time) {
	level := slog.LevelInfo
	if marks > 0 { // rare objects may fail from now on without a fallback
		level = slog.LevelWarn
	}
	l.logger.Log(context.Background(), level, "module passed probation", "module", m.Name(), "sha256", foreign.Digest(m.Digest()),
		"batches", m.Activity(now).Calls, "failed", marks, "of", probationMarks)
}

// previousOverran reports that the gateway stops falling back to a previous version, which overran.
func (l *journal) previousOverran(previous *module.Module) {
	l.logger.Error("a module's call ran past its deadline; the gateway does not fall back to it any more", "module", previous.Name(), "sha256", foreign.Digest(previous.Digest()))
}

// withdrawn reports that a module that overran was taken out of service. s is its entry afterwards.
func (l *journal) withdrawn(bad *module.Module, s *entry, now time.Time) {
	file := bad.Name()
	switch {
	case s.serving != nil:
		l.previousServes(bad, s.serving, now)
	case !s.present:
		l.metrics.forget(file)
	default:
		l.metrics.info.DeleteLabelValues(file, bad.Digest())
	}
	if s.present {
		l.metrics.reloadOK.WithLabelValues(file).Set(0)
	}
	attrs := []any{"audit", "module", "module", file, "before", bad.Digest()}
	if s.serving != nil {
		attrs = append(attrs, "sha256", s.serving.Digest())
	}
	l.logger.Error("a module's call ran past its deadline; taking the module out of service", append(attrs,
		"after", fmt.Sprint(module.OverrunLooks*module.OverrunPeriod), "instead", s.instead())...)
}

// listChanged reports a new verdict of SHA256SUMS on the directory.
func (l *journal) listChanged(owner string, list *sums.Check, why string) {
	sum, there := list.Sum()
	_, by := list.Listing()
	switch {
	case why != "":
		l.of(owner).Error("no file of the module directory is accepted; loaded modules keep serving", "err", why)
	case there:
		l.of(owner).Info("using only the files that "+sums.ListFile+" lists", "audit", "list", "sha256", hex.EncodeToString(sum[:]), "signed", by)
	}
}

// of returns the log for an owner's directory.
func (l *journal) of(owner string) *slog.Logger {
	if owner == "" {
		return l.logger
	}
	return l.logger.With("owner", owner)
}
