package host

import "context"

// proving converts the batch by a module on probation. What it fails goes to the version before, as if that had been the module of this hop
// from the beginning: the objects as they were, of which it is shown what it declares itself, and the same checks of its answers. So the
// review gets its answers, and the newer version is told on; but not if the one before fails too, which says nothing against the newer.
func (l *lane) proving(ctx context.Context, h *hop, first bool) *failure {
	untouched := *l.share
	before := make([]content, len(l.batch)) // accept writes over what the hop began with
	for j, i := range l.batch {
		before[j] = l.objects[i].content
	}
	fail := l.prove(ctx, h)
	if fail == nil || !mendable(fail.kind) || ctx.Err() != nil {
		return fail
	}
	failed := *l.share
	*l.share = untouched
	l.settle(0)
	l.leaveCrowd() // the one before may declare more
	for j, i := range l.batch {
		l.objects[i].content = before[j]
	}
	if l.share.last == h {
		l.share.last = h.previous
	}
	again := l.show(ctx, h.previous, first)
	if again == nil {
		again = l.prove(ctx, h.previous)
	}
	if again != nil && again.kind != FailureRefused {
		*l.share = failed
		return fail
	}
	clear(l.tapped)
	l.tapped = l.tapped[:0] // a listener hears of what the module does, not of what was done in its place
	h.predecessor.StoodIn(fail.kind, fail.message)
	return again
}

// prove converts the batch by one of the two versions. If nothing is to be done to the objects any more, and schemas are enforced, it holds
// them against theirs at once, as long as the other version can be asked.
func (l *lane) prove(ctx context.Context, h *hop) *failure {
	fail := l.some(ctx, h, l.every, nil)
	if fail != nil || !l.enforce || l.share.last != h {
		return fail
	}
	l.share.held = true
	return l.schemas(ctx, l.share)
}

// mendable says whether another version of the module may do better than the one that failed so. A refusal is an answer, and a lack of
// instances no version's doing.
func mendable(kind string) bool { return kind != FailureRefused && kind != FaultBusy }
