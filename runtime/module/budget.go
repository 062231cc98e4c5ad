package module

import (
	"context"
	"sync"
	"time"
)

// budget bounds the instances of all modules together, for each may hold as much memory as a module is allowed and a call
// stack on top. Whoever needs one when all are taken gets the place of an idle instance of any module, the longest unused
// first, or waits.
type budget struct {
	mu    sync.Mutex
	free  int
	size  int
	pools map[*pool]struct{}
	freed chan struct{} // closed, and replaced, when a place or an idle instance has come up
}

func newBudget(size int) *budget {
	return &budget{free: size, size: size, pools: map[*pool]struct{}{}, freed: make(chan struct{})}
}

func (b *budget) join(p *pool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pools[p] = struct{}{}
}

func (b *budget) leave(p *pool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.pools, p)
}

// take gets a place, or a busy fault when ctx or wait ends first.
func (b *budget) take(ctx context.Context, wait *patience) *FaultError {
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
				return nil // its place is ours now
			}
			continue // somebody borrowed it meanwhile
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return faultf(FaultBusy, "all %d instances of the gateway were busy until the request's time was up", b.size)
		case <-wait.over():
			return faultf(FaultBusy, "all %d instances of the gateway were busy for %v", b.size, wait.limit)
		}
	}
}

// longestUnused returns the pool with the idle instance that was used least recently. b.mu is held; it is taken before a
// pool's.
func (b *budget) longestUnused() *pool {
	var victim *pool
	var since time.Time
	for p := range b.pools {
		if t, ok := p.oldest(); ok && (victim == nil || t.Before(since)) {
			victim, since = p, t
		}
	}
	return victim
}

// give returns a place.
func (b *budget) give() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free++
	b.signal()
}

// wake tells those who wait that an instance has become idle.
func (b *budget) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.free == 0 {
		b.signal()
	}
}

func (b *budget) signal() {
	close(b.freed)
	b.freed = make(chan struct{})
}

// expire closes instances that no module has used for a time.
func (b *budget) expire(unusedSince time.Time) {
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
