package host

import (
	"context"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// callOnProbation converts the batch by a module on probation. If the module fails, its previous
// version converts the objects as they were, as if it had been the module of this hop from the
// start: it sees the fields that it declares itself, and its outputs pass the same checks. The
// review succeeds, and the failure counts against the new version. If the previous version fails
// too, the failure does not count against the new one.
func (w *worker) callOnProbation(ctx context.Context, h *hop, first bool) *failure {
	chunkBefore := *w.chunk
	contents := make([]content, len(w.batch.objects)) // check overwrites the contents that the hop began with
	for j, i := range w.batch.objects {
		contents[j] = w.state.objects[i].content
	}
	fail := w.callAndValidate(ctx, h)
	if fail == nil || !mayFallBack(fail.reason) || ctx.Err() != nil {
		return fail
	}
	chunkFailed := *w.chunk
	*w.chunk = chunkBefore
	w.count(0)
	for j, i := range w.batch.objects {
		w.state.objects[i].content = contents[j]
	}
	if w.chunk.last == h {
		w.chunk.last = h.fallback
	}
	second := w.project(h.fallback, first)
	if second == nil {
		second = w.callAndValidate(ctx, h.fallback)
	}
	if second != nil && second.reason != FailureRefused {
		*w.chunk = chunkFailed
		return fail
	}
	h.previous.FellBack(fail.reason, fail.message)
	return second
}

// callAndValidate converts the batch by one of the two versions. If schemas are enforced and this
// is the last hop, it validates the objects now, while the other version can still convert them.
func (w *worker) callAndValidate(ctx context.Context, h *hop) *failure {
	fail := w.call(ctx, h, w.all(), nil)
	if fail != nil || !w.state.converter.enforce || w.chunk.last != h {
		return fail
	}
	w.chunk.validated = true
	return w.validator.validate(ctx, w.batch.objects, w.chunk)
}

// mayFallBack reports whether another version of the module may do better after a failure for this
// reason. A refusal is a result, and a lack of instances does not depend on the version.
func mayFallBack(reason string) bool { return reason != FailureRefused && reason != faults.Busy }
