package load

import "context"

// childSlots divides the memory for vetting children: several run at once with a part each, and one
// that needs more runs alone with all of it.
type childSlots struct {
	slots chan struct{} // one for each child at work
	alone chan struct{} // held while collecting all slots, so that no two callers wait for each other
}

// vetChildren is the number of children that vet at once: each has two threads. Above four, the
// part of the memory would be too small for most modules: of the default gigabyte, 256 MiB.
func vetChildren(processors int) int { return min(max(processors/2, 1), 4) }

func newChildSlots(children int) *childSlots {
	return &childSlots{slots: make(chan struct{}, children), alone: make(chan struct{}, 1)}
}

// acquire waits for a slot, or for all of them. done releases them.
func (t *childSlots) acquire(ctx context.Context, all bool) (done func(), err error) {
	want := 1
	if all {
		want = cap(t.slots)
		select {
		case t.alone <- struct{}{}:
			defer func() { <-t.alone }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	release := func(n int) {
		for range n {
			<-t.slots
		}
	}
	for got := range want {
		select {
		case t.slots <- struct{}{}:
		case <-ctx.Done():
			release(got)
			return nil, ctx.Err()
		}
	}
	return func() { release(want) }, nil
}
