package runtime

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// probationMarks is how many batches a module on probation may fail that the version before converts. One could be a fault of the
// machine; clients do not feel any of them, so that three need no haste.
const probationMarks = 3

// PreviousModule is the version before a module on probation, which stays loaded for a time after a swap. What the new version fails can be
// given to it, which is sound because conversions are pure: the client gets an answer, and the gateway learns whether the fault lies in
// the new version or in the objects. What both fail says nothing against the new one. After probationMarks that only the new one failed,
// the gateway goes back; with each of those before, the time begins anew, so that the version before goes after a whole probation without
// a failure, however rarely the module is called.
//
// It is safe for concurrent use, and usable for as long as a set is held that has it.
type PreviousModule struct {
	*module.Module // not on probation itself

	newer     *module.Module
	length    time.Duration
	condemned func() // called once, when the newer version has failed too often; it does not block
	batches   prometheus.Counter
	logger    *slog.Logger

	mu    sync.Mutex
	until time.Time
	marks int    // at most probationMarks: what comes after the decision is not counted
	last  string // what the newest mark was for
}

// Convert is Module.Convert, but for the metrics and the status: they are the newer version's, which has been charged for these objects. The
// module's breaker is minded, so that objects which both versions fail cost no more than they would without a probation.
func (p *PreviousModule) Convert(ctx context.Context, from, to string, objects [][]byte) (converted [][]byte, refused map[int]string, err error) {
	return p.Module.ConvertUncounted(ctx, to, objects)
}

// FellBack is to be called when the answers of the predecessor were taken for objects that the newer version had failed, by a fault of this
// kind, or in another way that is its own doing, and with words that say what happened.
func (p *PreviousModule) FellBack(kind, why string) {
	if !module.BlamesModule(kind) || kind == module.FaultDeadline {
		return // it may have been the machine's doing; and a module that rests was not even called
	}
	m := p.newer
	p.batches.Inc()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.marks == probationMarks { // a review that began before the gateway went back
		return
	}
	p.marks++
	p.until = time.Now().Add(p.length)
	p.last = why
	p.logger.Warn("batch failed on probation; the previous version converted it", "sha256", foreign.Digest(m.Digest()), "previous", foreign.Digest(p.Digest()), "err", why,
		"times", p.marks, "of", probationMarks)
	if p.marks == probationMarks {
		p.condemned()
	}
}

// account returns how many batches count against the newer version, why the last of them does, and when the probation ends.
func (p *PreviousModule) account() (marks int, last string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.marks, p.last, p.until
}
