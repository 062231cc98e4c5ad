package module

import (
	"context"
	"slices"
	"sync"
	"time"
)

// pool lends the instances of one module, each to one borrower at a time. It is bounded twice: by the module's own share,
// so that one slow module cannot have everything, and by the process-wide budget.
type pool struct {
	module *Module
	budget *budget
	slots  chan struct{} // one for each instance at work

	mu     sync.Mutex
	idle   []*instance // the most recently used last: those at the front grow old and go
	closed bool
}

func newPool(m *Module, b *budget) *pool {
	p := &pool{module: m, budget: b, slots: make(chan struct{}, m.limits.ModuleInstances)}
	b.join(p)
	return p
}

// borrow returns an instance in the module's initial state. It waits for one as long as ctx and the limit InstanceWait allow;
// the fault is busy if none became free.
func (p *pool) borrow(ctx context.Context) (*instance, *FaultError) {
	wait := &patience{limit: p.module.limits.InstanceWait}
	defer wait.end()
	if fault := p.enter(ctx, wait); fault != nil {
		return nil, fault
	}
	if in := p.pop(); in != nil {
		return in, nil
	}
	if fault := p.budget.take(ctx, wait); fault != nil {
		<-p.slots
		return nil, fault
	}
	in, fault := p.module.newInstance(ctx)
	if fault != nil {
		p.budget.give()
		<-p.slots
		return nil, fault
	}
	p.module.spent(in.price)
	return in, nil
}

// enter takes one of the module's slots, waiting as long as ctx and wait allow.
func (p *pool) enter(ctx context.Context, wait *patience) *FaultError {
	select {
	case p.slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return faultf(FaultBusy, "all %d instances of the module were busy until the request's time was up", cap(p.slots))
	case <-wait.over():
		return faultf(FaultBusy, "all %d instances of the module were busy for %v", cap(p.slots), wait.limit)
	}
}

// reserve takes room for an instance that the caller makes and closes itself. A call of release must follow.
func (p *pool) reserve(ctx context.Context) (release func(), fault *FaultError) {
	wait := &patience{limit: p.module.limits.InstanceWait}
	defer wait.end()
	if fault := p.enter(ctx, wait); fault != nil {
		return nil, fault
	}
	if fault := p.budget.take(ctx, wait); fault != nil {
		<-p.slots
		return nil, fault
	}
	return func() {
		p.budget.give()
		<-p.slots
	}, nil
}

// giveBack ends a loan. An instance that is not sound is closed, and so is one that cannot be put back into its initial
// state.
func (p *pool) giveBack(in *instance, sound bool) {
	kept := false
	if sound && in.reset() {
		in.used = time.Now()
		p.mu.Lock()
		if !p.closed {
			p.idle = append(p.idle, in)
			kept = true
		}
		p.mu.Unlock()
	}
	if kept {
		p.budget.wake() // who waits for the budget may take an idle instance's place
	} else {
		in.close()
		p.budget.give()
	}
	<-p.slots
}

func (p *pool) pop() *instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	in := p.idle[n-1]
	p.idle[n-1] = nil
	p.idle = p.idle[:n-1]
	return in
}

// oldest returns when the longest unused instance was used last.
func (p *pool) oldest() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return time.Time{}, false
	}
	return p.idle[0].used, true
}

// evict closes the longest unused instance, unless there is none or it was used after the given time.
func (p *pool) evict(unusedSince time.Time) bool {
	p.mu.Lock()
	if len(p.idle) == 0 || p.idle[0].used.After(unusedSince) {
		p.mu.Unlock()
		return false
	}
	in := p.idle[0]
	p.idle = slices.Delete(p.idle, 0, 1)
	p.mu.Unlock()
	in.close()
	return true
}

// expire closes the instances not used since a time.
func (p *pool) expire(unusedSince time.Time) {
	for p.evict(unusedSince) {
		p.budget.give()
	}
}

// close closes the idle instances; those on loan are closed when they come back. No new loan may begin.
func (p *pool) close() {
	p.budget.leave(p)
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, in := range idle {
		in.close()
		p.budget.give()
	}
}

// count returns how many instances wait and how many work.
func (p *pool) count() (idle, working int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle), len(p.slots)
}
