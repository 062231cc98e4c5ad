package runtime

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// probationMarks is the number of batches that fail in a module on probation, and that the previous
// version converts, until the module is rolled back. One could be a fault of the machine; clients
// notice none of them, so three are soon enough.
const probationMarks = 3

// PreviousModule is the previous version of a module on probation, which stays loaded for a period
// after a swap. It is the fallback for failed batches, which is sound because conversions are pure:
// the client gets an answer, and the gateway learns whether the new version or the objects are the
// cause. A batch that both versions fail does not count against the new one. After probationMarks
// batches that only the new version failed, the gateway rolls back. Each of them restarts the
// period, so that the previous version is closed after a whole period without a failure, even if
// the module is called rarely.
//
// It is safe for concurrent use, while a set that contains it is held.
type PreviousModule struct {
	*module.Module // not on probation itself

	newer    *module.Module
	length   time.Duration
	rollBack func() // called once, when the newer version has failed too often; it does not block
	batches  prometheus.Counter
	logger   *slog.Logger

	mu    sync.Mutex
	until time.Time
	marks int    // at most probationMarks: later failures are not counted
	last  string // the newest failure
}

// Convert is Module.Convert without metrics and status: the newer version has counted these
// objects. It uses the module's circuit breaker, so that objects which both versions fail cost no
// more than without a probation.
func (p *PreviousModule) Convert(ctx context.Context, from, to string, objects [][]byte) (converted [][]byte, refused map[int]string, err error) {
	return p.Module.ConvertUncounted(ctx, to, objects)
}

// FellBack records that the previous version's answers replaced a failed batch of the newer
// version: its reason and its message.
func (p *PreviousModule) FellBack(reason, message string) {
	if !faults.BlamesModule(reason) || reason == faults.Deadline {
		return // the machine may be the cause, or the circuit breaker was open and the module not called
	}
	m := p.newer
	p.batches.Inc()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.marks == probationMarks { // a review that began before the rollback
		return
	}
	p.marks++
	p.until = time.Now().Add(p.length)
	p.last = message
	p.logger.Warn("batch failed on probation; the previous version converted it", "sha256", foreign.Digest(m.Digest()), "previous", foreign.Digest(p.Digest()), "err", message,
		"times", p.marks, "of", probationMarks)
	if p.marks == probationMarks {
		p.rollBack()
	}
}

// account returns the number of batches that count against the newer version, the last failure, and
// the end of the probation.
func (p *PreviousModule) account() (marks int, last string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.marks, p.last, p.until
}
