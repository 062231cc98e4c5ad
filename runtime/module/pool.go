package module

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/fair"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// pool lends the instances of one module, each to one borrower at a time. It has two bounds: the
// module's own slots, so that one slow module cannot occupy all instances, and the process-wide
// budget, of which the module's owner and kind have shares.
type pool struct {
	program *Program
	budget  *Budget
	claim   fair.Claim    // one instance, for the module's owner and kind
	slots   chan struct{} // one for each instance at work

	mu     sync.Mutex
	idle   []*instance // the most recently used last; the first ones expire
	closed bool
}

func newPool(of *Program, name artifact.Name, b *Budget) *pool {
	p := &pool{
		program: of, budget: b, slots: make(chan struct{}, of.limits.ModuleInstances),
		claim: fair.Claim{Units: 1, Owner: name.Owner, Account: name.Kind + "." + name.Group},
	}
	b.join(p)
	of.crowd = func() int64 { return b.atWork(p.claim) }
	return p
}

// borrow returns an instance in the module's initial state. It waits for one as long as ctx and the
// limit InstanceWait allow; then the fault is busy.
func (p *pool) borrow(ctx context.Context) (*instance, *FaultError) {
	wait := &waitBudget{limit: p.program.limits.InstanceWait}
	defer wait.end()
	if fault := p.begin(ctx, wait); fault != nil {
		return nil, fault
	}
	if in := p.pop(); in != nil {
		return in, nil
	}
	in, fault := p.make(ctx)
	if fault != nil {
		return nil, fault
	}
	p.program.counters.spent(in.price)
	return in, nil
}

// first makes the first instance of a module, which waits for a slot as long as ctx allows.
func (p *pool) first(ctx context.Context) (*instance, error) {
	if fault := p.begin(ctx, nil); fault != nil {
		return nil, fault
	}
	in, fault := p.make(ctx)
	if fault != nil {
		return nil, fmt.Errorf("starting the module: %w", fault)
	}
	return in, nil
}

// begin takes one of the module's slots and a place among the instances at work, waiting as long as
// ctx and wait allow. end gives both back.
func (p *pool) begin(ctx context.Context, wait *waitBudget) *FaultError {
	if fault := p.takeSlot(ctx, wait); fault != nil {
		return fault
	}
	fault := p.budget.work(ctx, wait, p.claim)
	if fault != nil {
		<-p.slots
	}
	return fault
}

func (p *pool) end() {
	p.budget.rest(p.claim)
	<-p.slots
}

// make makes an instance after begin. After a fault, begin is undone.
func (p *pool) make(ctx context.Context) (*instance, *FaultError) {
	if fault := p.budget.acquire(ctx); fault != nil {
		p.end()
		return nil, fault
	}
	in, fault := p.program.newInstance(ctx)
	if fault != nil {
		p.budget.release()
		p.end()
		return nil, fault
	}
	return in, nil
}

// takeSlot takes one of the module's slots, waiting as long as ctx and wait allow.
func (p *pool) takeSlot(ctx context.Context, wait *waitBudget) *FaultError {
	select {
	case p.slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return faultf(faults.Busy, "all %d instances of the module were busy until the request's time was up", cap(p.slots))
	case <-wait.over():
		return faultf(faults.Busy, "all %d instances of the module were busy for %v", cap(p.slots), wait.limit)
	}
}

// reserve takes a slot for an instance that the caller makes and closes itself. A call of release
// must follow.
func (p *pool) reserve(ctx context.Context) (release func(), fault *FaultError) {
	wait := &waitBudget{limit: p.program.limits.InstanceWait}
	defer wait.end()
	if fault := p.begin(ctx, wait); fault != nil {
		return nil, fault
	}
	if fault := p.budget.acquire(ctx); fault != nil {
		p.end()
		return nil, fault
	}
	return func() {
		p.budget.release()
		p.end()
	}, nil
}

// giveBack ends a loan. It closes an instance that is not sound or cannot be reset to its initial
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
		p.budget.wake() // a waiting caller may replace an idle instance
	} else {
		in.close()
		p.budget.release()
	}
	p.end()
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

// oldest returns the time of the last use of the longest unused instance.
func (p *pool) oldest() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return time.Time{}, false
	}
	return p.idle[0].used, true
}

// evict closes the longest unused instance. It returns false if there is none or if it was used
// after the given time.
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
		p.budget.release()
	}
}

// close closes the idle instances; borrowed ones are closed when they are returned. No new loan may
// begin.
func (p *pool) close() {
	p.budget.leave(p)
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, in := range idle {
		in.close()
		p.budget.release()
	}
}

// count returns the number of idle and working instances.
func (p *pool) count() (idle, working int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle), len(p.slots)
}

// idleMemory returns the memory of the largest idle instance in bytes.
func (p *pool) idleMemory() (most int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, in := range p.idle {
		most = max(most, int64(in.memory.Size()))
	}
	return most
}

// waitBudget is the total time that one borrower waits for an instance. Nil is unlimited. It
// belongs to one goroutine, which ends it.
type waitBudget struct {
	limit time.Duration
	timer *time.Timer // started by the first wait
}

// over returns a channel that receives when the limit has passed since the first call.
func (p *waitBudget) over() <-chan time.Time {
	if p == nil {
		return nil
	}
	if p.timer == nil {
		p.timer = time.NewTimer(p.limit)
	}
	return p.timer.C
}

func (p *waitBudget) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
}
