package e2e

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// load runs clients that read in a loop until they are stopped, and count failures.
type load struct {
	stop    context.CancelFunc
	running sync.WaitGroup
	reads   atomic.Int64
	failed  atomic.Int64

	mu    sync.Mutex
	first error // that a client met
}

// startLoad starts one goroutine for each client. It ends with end.
func startLoad(ctx context.Context, clients ...func(context.Context) error) *load {
	ctx, stop := context.WithCancel(ctx)
	l := &load{stop: stop}
	for _, read := range clients {
		l.running.Go(func() {
			for ctx.Err() == nil {
				// A read that has begun is not cut off when the load ends: that would be a failure
				// that is nobody's.
				err := read(context.WithoutCancel(ctx))
				l.reads.Add(1)
				if err != nil {
					l.failed.Add(1)
					l.mu.Lock()
					if l.first == nil {
						l.first = err
					}
					l.mu.Unlock()
				}
			}
		})
	}
	return l
}

// end stops the clients after so many reads, however long a busy machine takes for them, and checks
// that none failed.
func (l *load) end(t *testing.T, least int64) {
	t.Helper()
	eventually.True(t, fmt.Sprintf("%d reads", least), func() bool { return l.reads.Load() >= least })
	l.stop()
	l.running.Wait()
	t.Logf("%d reads, %d failed", l.reads.Load(), l.failed.Load())
	if l.failed.Load() > 0 {
		t.Errorf("%d of %d reads failed, the first with: %v", l.failed.Load(), l.reads.Load(), l.first)
	}
}
