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

// try is the time limit of one attempt to load a file. The clock starts with the work, not with the
// wait for a vetting child.
type try struct {
	limit  time.Duration // 0: none
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer // nil before the work begins, and after its end
	over  bool
}

type tryKey struct{}

// WithTry returns a context that ends with ErrOverran so long after startTry. end must be called.
func WithTry(ctx context.Context, limit time.Duration) (tried context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &try{limit: limit, cancel: cancel}
	return context.WithValue(ctx, tryKey{}, t), func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.over = true
		if t.timer != nil {
			t.timer.Stop()
		}
		cancel(nil)
	}
}

// startTry starts the clock of the try that ctx belongs to, if it belongs to one and its clock does
// not run yet.
func startTry(ctx context.Context) {
	t, _ := ctx.Value(tryKey{}).(*try)
	if t == nil || t.limit == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil && !t.over {
		t.timer = time.AfterFunc(t.limit, func() { t.cancel(ErrOverran) })
	}
}
