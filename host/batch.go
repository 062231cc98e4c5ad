package host

import (
	"errors"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// batch is the objects that one call of a module converts. It words the failures of the call, and
// names in them the objects that failed.
type batch struct {
	review  *review
	objects []int // by their index in the review
}

// refusal is the failure for an object that a guest refused.
func (b *batch) refusal(i int, h *hop, why string) *failure {
	if why = foreign.Clean(why, maxRefusal); why == "" {
		why = "refused without a reason"
	}
	return &failure{FailureRefused, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: %s [refused by module %s]",
		b.review.title(i), h.label, why, ref(h.module))}
}

// contractFailure is the failure for an answer that breaks the contract.
func (b *batch) contractFailure(i int, h *hop, broken projection.Breach) *failure {
	return &failure{FailureContract, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s broke the conversion contract: its answer %s",
		b.review.title(i), h.label, ref(h.module), broken)}
}

// late is the failure for a batch whose request timed out before the module was called.
func (b *batch) late(h *hop) *failure {
	return &failure{reason: faults.Deadline, message: fmt.Sprintf("cannot convert %s of %s: the request's deadline passed before module %s was called (%s)",
		b.titles(), h.label, ref(h.module), advice(faults.Deadline))}
}

// wrongCount is the failure for a module that returned more or fewer outputs than it got inputs.
func (b *batch) wrongCount(h *hop, got, want int) *failure {
	return &failure{FailureContract, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s broke the conversion contract: it answered %d objects for %d",
		b.titles(), h.label, ref(h.module), got, want)}
}

// tooManyParts is the failure for an object in which more places match the declared fields than the
// gateway indexes.
func (b *batch) tooManyParts(h *hop, i int) *failure {
	return invalid("%s: more than %d places match the fields that module %s declares; declare the list or map as a whole instead of fields of its elements",
		b.review.title(i), maxParts, ref(h.module))
}

// titles names the objects of the batch.
func (b *batch) titles() string {
	i := b.objects[0]
	title := b.review.title(i)
	if n := len(b.objects); n > 1 {
		return fmt.Sprintf("%d objects, the first of them %s,", n, title)
	}
	return title
}

// titleAt names the object that a module failed at, or the batch if the error does not name one.
func (b *batch) titleAt(positions []int, err error) string {
	var f Fault
	if errors.As(err, &f) {
		if k, known := f.Object(); known && k >= 0 && k < len(positions) {
			i := b.objects[positions[k]]
			return b.review.title(i)
		}
	}
	return b.titles()
}

// fault is the failure for a batch, or for one object of it, that a module failed at. positions are
// the objects of the call.
func (b *batch) fault(h *hop, positions []int, err error) *failure {
	kind := faultOf(err)
	return &failure{kind, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s failed: %s (%s)",
		b.titleAt(positions, err), h.label, ref(h.module), foreign.Clean(err.Error(), maxFault), advice(kind))}
}
