package runtime

import (
	"errors"
	"fmt"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// A call ends at its deadline: the guest yields every millisecond and each host function charges
// before it works. A call that runs on has escaped these limits, and the next call may too. The
// registry then takes its module out of service until its file is replaced.

// errOverrun is the reason why a module that overran is not loaded again.
var errOverrun = errors.New("taken out of service: a call ran for " + (module.OverrunLooks * module.OverrunPeriod).String() + " after its deadline, and the gateway could not end it. " +
	"This gateway does not load the content again, but a restarted one would: replace the file, and report the module to the gateway's authors")

// endOverruns takes modules out of service that have a call past its deadline.
func (r *Registry) endOverruns(now time.Time) {
	r.changing.Lock()
	defer r.changing.Unlock()
	r.mu.Lock()
	changed := false
	for _, s := range r.slots {
		if s.previous != nil && s.previous.Module.LookForOverrun(now) {
			r.logger.Error("a module's call ran past its deadline; the gateway does not fall back to it any more", "module", s.previous.Name(), "sha256", foreign.Digest(s.previous.Digest()))
			r.endProbation(s)
			changed = true
		}
		if s.serving != nil && s.serving.LookForOverrun(now) {
			r.withdraw(s, now)
			changed = true
		}
	}
	var next *Set
	if changed {
		next = r.nextSet()
	}
	r.mu.Unlock()
	if next != nil {
		r.publish(next)
	}
}

// withdraw takes a module that overran out of service. If it was on probation, the previous version
// serves again. r.changing and r.mu are held.
func (r *Registry) withdraw(s *slot, now time.Time) {
	bad := s.serving
	file := bad.Name()
	v := verdict{at: now, err: errOverrun, overrun: true}
	r.ban(s, bad, v)
	if s.previous != nil {
		r.servePrevious(s, now)
	} else {
		s.serving = nil
		r.metrics.info.DeleteLabelValues(file, bad.Digest())
		if !s.present {
			delete(r.slots, bad.FileName().Base)
			r.metrics.forget(file)
		}
	}
	if s.present {
		s.failure = v.failure(file, bad.ContentSum(), bad.FileSum(), now)
		r.metrics.reloadOK.WithLabelValues(file).Set(0)
	}
	r.logger.Error("a module's call ran past its deadline; taking the module out of service", "module", file, "sha256", foreign.Digest(bad.Digest()),
		"after", fmt.Sprint(module.OverrunLooks*module.OverrunPeriod), "instead", s.instead())
}
