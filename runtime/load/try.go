package load

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// ErrOverran ends a try at its time limit.
var ErrOverran = errors.New("loading the module exceeded the time limit of this attempt")

// A file gets little time at its first try, so that files which never finish do not delay others:
// tryBase, and tryPerMiB for its size. The slowest known modules take 0.7 s a MiB (77 MiB, on a
// loaded machine) and 4 s for 2 MiB (Go, on one processor); the base is for starting the child on a
// busy machine. Each further try has tryGrowth times as much, which costs an honest slow file a
// third more than one long try.
const (
	tryBase   = 5 * time.Second
	tryPerMiB = 8 * time.Second
	tryGrowth = 4
)

// TryTime is the time limit of a try after so many that overran; 0 means that only the limits of
// loading itself apply. The first try takes at most most: nothing waits for a file that takes
// longer.
func TryTime(size, overran int, most time.Duration, limits module.Limits) time.Duration {
	d := min(tryBase+time.Duration(size)*tryPerMiB>>20, most)
	for range overran {
		d *= tryGrowth
		if d >= limits.CompileTime {
			return 0
		}
	}
	return d
}

// A first try also gets little processor time: firstBase, and tryPerMiB for the size of the file. A
// busy machine does not use it up, and a file whose start is slow uses it up soon.
const firstBase = time.Second

// FirstTry is the processor time that the vetting child of a first try may take.
func FirstTry(size int) time.Duration { return firstBase + time.Duration(size)*tryPerMiB>>20 }

// try is the time limit of one attempt to load a file. The clock starts with the work, not with the
// wait for a vetting child.
type try struct {
	limit     time.Duration // 0: none
	processor time.Duration // of the vetting child; 0: no limit
	cancel    context.CancelCauseFunc

	mu    sync.Mutex
	began time.Time   // zero before the work begins
	timer *time.Timer // nil before the work begins, and without a limit
}

type tryKey struct{}

// WithTry returns a context that ends with ErrOverran so long after StartTry, or when a vetting child
// has used so much processor time; 0 means no limit. end must be called. It returns the time since
// StartTry; 0 if the work did not begin.
func WithTry(ctx context.Context, limit, processor time.Duration) (tried context.Context, end func() time.Duration) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &try{limit: limit, processor: processor, cancel: cancel}
	return context.WithValue(ctx, tryKey{}, t), func() time.Duration {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.timer != nil {
			t.timer.Stop()
		}
		cancel(nil)
		if t.began.IsZero() {
			return 0
		}
		return time.Since(t.began)
	}
}

// StartTry starts the clock of the try that ctx belongs to, if it belongs to one and its clock does
// not run yet.
func StartTry(ctx context.Context) {
	t, _ := ctx.Value(tryKey{}).(*try)
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.began.IsZero() {
		return
	}
	t.began = time.Now()
	if t.limit > 0 {
		t.timer = time.AfterFunc(t.limit, func() { t.cancel(ErrOverran) })
	}
}

// TryProcessor returns the processor time that the try of ctx may take; 0 means no limit.
func TryProcessor(ctx context.Context) time.Duration {
	if t, _ := ctx.Value(tryKey{}).(*try); t != nil {
		return t.processor
	}
	return 0
}

// endTry ends the try of ctx, because its processor time is used up.
func endTry(ctx context.Context) {
	if t, _ := ctx.Value(tryKey{}).(*try); t != nil {
		t.cancel(ErrOverran)
	}
}
