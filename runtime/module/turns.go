package module

import "context"

// turns shares out the memory for children that vet: several work at once with a part each, and one that needs more works alone with all.
type turns struct {
	places chan struct{} // one for each child at work
	alone  chan struct{} // taken by whoever collects all places, so that no two wait for each other's
}

// vetChildren is how many children vet at once: each has two threads. Above four, the part of the memory would be too small for most
// modules: of the default gigabyte, 256 MiB.
func vetChildren(processors int) int { return min(max(processors/2, 1), 4) }

func newTurns(children int) *turns {
	return &turns{places: make(chan struct{}, children), alone: make(chan struct{}, 1)}
}

// take waits for a place, or for all of them. done gives back what was taken.
func (t *turns) take(ctx context.Context, all bool) (done func(), err error) {
	want := 1
	if all {
		want = cap(t.places)
		select {
		case t.alone <- struct{}{}:
			defer func() { <-t.alone }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	give := func(n int) {
		for range n {
			<-t.places
		}
	}
	for got := range want {
		select {
		case t.places <- struct{}{}:
		case <-ctx.Done():
			give(got)
			return nil, ctx.Err()
		}
	}
	return func() { give(want) }, nil
}
