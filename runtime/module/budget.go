package module

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/fair"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// Budget bounds the instances of all modules together, because each may hold the memory of a module
// and a call stack. Instances at work are shares of it, by owner and kind (package fair). The rest are
// idle, and a caller whose module has no idle instance replaces the longest unused one of any module.
// It is safe for concurrent use.
type Budget struct {
	working *fair.Semaphore // its units are instances at work, or taken out of the pool for work

	mu    sync.Mutex
	free  int
	size  int
	pools map[*pool]struct{}
	freed chan struct{} // closed, and replaced, when a slot is free or an instance idle
}

// NewBudget returns a budget of so many instances. Owners says that modules have owners, which share
// it before their kinds do.
func NewBudget(size int, owners bool) *Budget {
	return &Budget{
		working: fair.NewSemaphore(fair.Config{Limit: int64(size), MaxWaiting: math.MaxInt, Owners: owners}),
		free:    size, size: size, pools: map[*pool]struct{}{}, freed: make(chan struct{}),
	}
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

// work waits until a module may have one more instance at work; rest ends it. The fault is busy if
// ctx or wait ends first.
func (b *Budget) work(ctx context.Context, wait *waitBudget, c fair.Claim) *FaultError {
	switch err := b.working.AcquireBefore(ctx, wait.over, c); {
	case err == nil:
		return nil
	case errors.Is(err, fair.ErrWait):
		return faultf(faults.Busy, "the share of the kind in the %d instances of the gateway was busy for %v", b.size, wait.limit)
	}
	return b.noTime()
}

// noTime is the fault of a caller whose context ended first.
func (b *Budget) noTime() *FaultError {
	return faultf(faults.Busy, "the share of the kind in the %d instances of the gateway was busy until the request's time was up", b.size)
}

// rest ends the work of an instance that is idle or closed by now.
func (b *Budget) rest(c fair.Claim) { b.working.Release(c) }

// atWork returns how many instances the owner of a claim has at work; without owners, its kind.
func (b *Budget) atWork(c fair.Claim) int64 { return b.working.Held(c) }

// acquire takes a slot for a new instance. The caller has called work, so at most size-1 other
// instances are at work, and a slot is free, or an instance idle, at once or when one that is being
// closed is gone.
func (b *Budget) acquire(ctx context.Context) *FaultError {
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
			return b.noTime()
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
