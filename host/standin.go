package host

import "context"

// proving converts the batch by a module on probation. What it fails goes to the version before, as if that had been the module of this hop
// from the beginning: the objects as they were, of which it is shown what it declares itself, and the same checks of its answers. So the
// review gets its answers, and the newer version is told on; but not if the one before fails too, which says nothing against the newer.
func (l *lane) proving(ctx context.Context, h *hop, first bool) *failure {
	before := make([]content, len(l.batch)) // accept writes over what the hop began with
	for j, i := range l.batch {
		before[j] = l.objects[i].content
	}
	fail := l.some(ctx, h, l.every, nil)
	if fail == nil || !mendable(fail.kind) || ctx.Err() != nil {
		return fail
	}
	l.settle(0)
	for j, i := range l.batch {
		l.objects[i].content = before[j]
	}
	if late := l.show(ctx, h.previous, first); late != nil {
		return fail
	}
	again := l.some(ctx, h.previous, l.every, nil)
	if again != nil && again.kind != FailureRefused {
		return fail
	}
	clear(l.tapped)
	l.tapped = l.tapped[:0] // a listener hears of what the module does, not of what was done in its place
	h.predecessor.StoodIn(fail.kind, fail.message)
	return again
}

// mendable says whether another version of the module may do better than the one that failed so. A refusal is an answer, and a lack of
// instances no version's doing.
func mendable(kind string) bool { return kind != FailureRefused && kind != FaultBusy }
