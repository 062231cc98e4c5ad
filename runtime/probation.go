package runtime

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// probationMarks is how many batches a module on probation may fail that the version before converts. One could be a fault of the
// machine; clients do not feel any of them, so that three need no haste.
const probationMarks = 3

// probation is the time after a swap in which the version before stays loaded. A batch that the new version fails is given to the one
// before, which is sound because conversions are pure: the client gets an answer, and the gateway learns whether the fault lies in the
// new version or in the objects. What both fail says nothing against the new one. After probationMarks that only the new one
// failed, the gateway goes back.
//
// It is safe for concurrent use.
type probation struct {
	previous *Module // not on probation itself
	until    time.Time
	// alike says that both versions declare the same fields, so that one can be given what the other was shown. Otherwise nobody stands in,
	// and every fault counts.
	alike bool
	wake  func() // has the registry look at it soon

	marks     atomic.Int64
	condemned atomic.Bool
	last      atomic.Pointer[string] // what the newest mark was for
	once      sync.Once
}

// mark notes a batch that the new version failed, and the one before, as far as could be asked, did not.
func (p *probation) mark(m *Module, why string) {
	p.last.Store(&why)
	m.metrics.previous.Inc()
	n := p.marks.Add(1)
	if n <= probationMarks {
		m.logger.Warn("module on probation failed a batch", "sha256", short(m.digest), "previous", short(p.previous.digest), "err", why, "times", n)
	}
	if n >= probationMarks {
		p.condemned.Store(true)
		p.once.Do(p.wake)
	}
}

// instead has the version before convert a batch that m failed; it returns m's own fault if that one fails too.
func (p *probation) instead(ctx context.Context, m *Module, to string, objects [][]byte, fault *FaultError) (converted [][]byte, refused map[int]string, _ *FaultError) {
	if fault.Kind == FaultBusy || ctx.Err() != nil { // nothing that another version could mend
		return nil, nil, fault
	}
	// A deadline may be the machine's doing, and a module that rests was not even called.
	counts := fault.blamesModule() && fault.Kind != FaultDeadline
	if !p.alike {
		if counts {
			p.mark(m, fault.Error())
		}
		return nil, nil, fault
	}
	converted, refused, failed := p.previous.once(ctx, to, objects)
	if failed != nil {
		return nil, nil, fault
	}
	if counts {
		p.mark(m, fault.Error())
	}
	return converted, refused, nil
}

// OnProbation reports whether the version before the module stands by.
func (m *Module) OnProbation() bool { return m.probation.Load() != nil }

// Instead has the version before, if it still stands by, convert objects for which the module's answers were not acceptable. If its
// answers are, confirm is to be called with what was wrong with the others. It reports false if there is no such version or it failed.
func (m *Module) Instead(ctx context.Context, from, to string, objects [][]byte) (converted [][]byte, refused map[int]string, confirm func(why string), ok bool) {
	p := m.probation.Load()
	if p == nil || ctx.Err() != nil {
		return nil, nil, nil, false
	}
	if !p.alike {
		p.mark(m, "an answer that breaks the conversion contract")
		return nil, nil, nil, false
	}
	converted, refused, err := p.previous.Convert(ctx, from, to, objects)
	if err != nil {
		return nil, nil, nil, false
	}
	return converted, refused, func(why string) { p.mark(m, why) }, true
}

// beginProbation puts a slot's new module on probation. The version to go back to is the last that got through its own: one that was
// replaced before that has proved nothing. r.mu is held.
func (r *Registry) beginProbation(s *slot, old, candidate *Module, now time.Time) {
	previous := old
	if p := old.probation.Load(); p != nil {
		previous = p.previous
		old.probation.Store(nil)
	}
	if r.config.Probation <= 0 || previous.identity == candidate.identity {
		return
	}
	candidate.probation.Store(&probation{previous: previous, alike: maps.EqualFunc(previous.fields, candidate.fields, slices.Equal), until: now.Add(r.config.Probation), wake: r.watcher.Again})
	r.metrics.probation.WithLabelValues(candidate.name.File).Set(1)
}

// judge ends the probations whose time is up, and goes back where a module did not stand the test. r.mu is held.
func (r *Registry) judge(now time.Time) {
	for _, s := range r.slots {
		if s.serving == nil {
			continue
		}
		switch p := s.serving.probation.Load(); {
		case p == nil:
		case p.condemned.Load():
			r.rollBack(s, p, now)
		case !now.Before(p.until):
			s.serving.probation.Store(nil)
			r.metrics.probation.WithLabelValues(s.serving.name.File).Set(0)
			r.logger.Info("module has stood its probation", "module", s.serving.name.File, "sha256", short(s.serving.digest))
		}
	}
}

// maxCondemned is how many bad contents of one module are remembered: more than anybody tries in a day.
const maxCondemned = 16

// rollBack has the version before serve again and remembers the content that failed. r.mu is held.
func (r *Registry) rollBack(s *slot, p *probation, now time.Time) {
	bad, file := s.serving, s.serving.name.File
	err := fmt.Errorf("rolled back: on probation it failed %d batches, and the version before (sha256 %s) none of them; the last with: %s. This content is not loaded again; put a mended module in its place",
		p.marks.Load(), short(p.previous.digest), *p.last.Load())
	if s.condemned == nil || len(s.condemned) >= maxCondemned {
		s.condemned = map[[32]byte]error{}
	}
	s.condemned[bad.identity] = err
	s.serving, s.since = p.previous, now
	s.failure = condemnedFailure(file, bad.identity, bad.digest, err, now)
	r.metrics.info.DeleteLabelValues(file, bad.digest)
	r.metrics.info.WithLabelValues(p.previous.name.File, p.previous.digest).Set(1)
	r.metrics.reloadOK.WithLabelValues(file).Set(0)
	r.metrics.reloadTime.WithLabelValues(p.previous.name.File).Set(float64(now.UnixMilli()) / 1000)
	r.metrics.probation.WithLabelValues(file).Set(0)
	r.metrics.rollbacks.WithLabelValues(file).Inc()
	r.logger.Error("module rolled back", "module", file, "sha256", short(bad.digest), "previous", short(p.previous.digest), "err", *p.last.Load())
}

// condemnedFailure is the failure of content that was rolled back: it is not tried again.
func condemnedFailure(file string, identity [32]byte, digest string, err error, now time.Time) *failure {
	f := &failure{file: file, identity: identity, err: err, at: now, tries: 1}
	_, _ = hex.Decode(f.digest[:], []byte(digest)) // is a digest
	return f
}
