package module

import (
	"context"
	"time"
)

// Load is the use of a Loader's limits: instances and vetting children.
type Load struct {
	Instances, Free int // instances that all modules together may have, and those not taken
	Pools           int // modules that may have instances
	Vetting         int // children at work
}

// Use returns the use of the limits now.
func (l *Loader) Use() (u Load) {
	l.budget.mu.Lock()
	u.Instances, u.Free, u.Pools = l.budget.size, l.budget.free, len(l.budget.pools)
	l.budget.mu.Unlock()
	if l.vetter != nil {
		u.Vetting = len(l.vetter.slots.slots)
	}
	return u
}

// HoldInstances takes all free instances until release is called, so that no module can be loaded or called. It is for tests.
func (l *Loader) HoldInstances() (release func()) {
	taken := 0
	for wait := (&waitBudget{limit: time.Millisecond}); l.budget.acquire(context.Background(), wait) == nil; taken++ {
	}
	return func() {
		for range taken {
			l.budget.release()
		}
	}
}
