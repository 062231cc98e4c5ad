package module

import (
	"context"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// Budget bounds the instances of all modules together, because each may hold the memory of a module
// and a call stack. If all slots are taken, a caller replaces the longest unused idle instance of
// any module, or waits. It is safe for concurrent use.
type Budget struct {
	mu    sync.Mutex
	free  int
	size  int
	pools map[*pool]struct{}
	freed chan struct{} // closed, and replaced, when a slot or an idle instance is available
}

// NewBudget returns a budget of so many instances.
func NewBudget(size int) *Budget {
	return &Budget{free: size, size: size, pools: map[*pool]struct{}{}, freed: make(chan struct{})}
}

func (b *Budget) join(p *pool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pools[p] = struct{}{}
}

func (b *Budget) leave(p *pool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.pools, p)
}

// acquire takes a slot; the fault is busy if ctx or wait ends first.
func (b *Budget) acquire(ctx context.Context, wait *waitBudget) *FaultError {
	for {
		b.mu.Lock()
		if b.free > 0 {
			b.free--
			b.mu.Unlock()
			return nil
		}
		freed := b.freed
		victim := b.longestUnused()
		b.mu.Unlock()
		if victim != nil {
			if victim.evict(time.Now()) {
				return nil // its slot is ours now
			}
			continue // it was borrowed meanwhile
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return faultf(faults.Busy, "all %d instances of the gateway were busy until the request's time was up", b.size)
		case <-wait.over():
			return faultf(faults.Busy, "all %d instances of the gateway were busy for %v", b.size, wait.limit)
		}
	}
}

// longestUnused returns the pool with the least recently used idle instance. b.mu is held; it is
// locked before the mutex of a pool.
func (b *Budget) longestUnused() *pool {
	var victim *pool
	var since time.Time
	for p := range b.pools {
		if t, ok := p.oldest(); ok && (victim == nil || t.Before(since)) {
			victim, since = p, t
		}
	}
	return victim
}

// release returns a slot.
func (b *Budget) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free++
	b.signal()
}

// wake wakes the waiting callers: an instance is idle.
func (b *Budget) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.free == 0 {
		b.signal()
	}
}

func (b *Budget) signal() {
	close(b.freed)
	b.freed = make(chan struct{})
}

// Instances returns the number of instances that exist or are being made.
func (b *Budget) Instances() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.size - b.free
}

// CloseIdle closes the instances that were not used since a time.
func (b *Budget) CloseIdle(unusedSince time.Time) {
	b.mu.Lock()
	pools := make([]*pool, 0, len(b.pools))
	for p := range b.pools {
		pools = append(pools, p)
	}
	b.mu.Unlock()
	for _, p := range pools {
		p.expire(unusedSince)
	}
}
