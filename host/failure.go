package host

import (
	"errors"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// refusal is the failure for an object that a guest refused.
func (w *worker) refusal(i int, h *hop, why string) *failure {
	if why = foreign.Clean(why, maxRefusal); why == "" {
		why = "refused without a reason"
	}
	return &failure{FailureRefused, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: %s [refused by module %s]",
		w.title(i), h.label, why, ref(h.module))}
}

// contractFailure is the failure for an answer that breaks the contract.
func (w *worker) contractFailure(i int, h *hop, broken projection.Breach) *failure {
	return &failure{FailureContract, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s broke the conversion contract: its answer %s",
		w.title(i), h.label, ref(h.module), broken)}
}

// late is the failure for a batch whose request timed out before the module was called.
func (w *worker) late(h *hop) *failure {
	return &failure{kind: faults.Deadline, message: fmt.Sprintf("cannot convert %s of %s: the request's deadline passed before module %s was called (%s)",
		w.batchTitle(), h.label, ref(h.module), advice(faults.Deadline))}
}

// wrongCount is the failure for a module that returned more or fewer outputs than it got inputs.
func (w *worker) wrongCount(h *hop, got, want int) *failure {
	return &failure{FailureContract, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s broke the conversion contract: it answered %d objects for %d",
		w.batchTitle(), h.label, ref(h.module), got, want)}
}

// tooManyParts is the failure for an object in which more places match the declared fields than the
// gateway indexes.
func (w *worker) tooManyParts(h *hop, i int) *failure {
	return invalid("%s: more than %d places match the fields that module %s declares; declare the list or map as a whole instead of fields of its elements",
		w.title(i), maxParts, ref(h.module))
}

// title names an object in a message.
func (w *worker) title(i int) string {
	return w.state.review.objects[i].title(w.state.review.body, i)
}

// batchTitle names the objects of the batch.
func (w *worker) batchTitle() string {
	i := w.batch[0]
	title := w.title(i)
	if n := len(w.batch); n > 1 {
		return fmt.Sprintf("%d objects, the first of them %s,", n, title)
	}
	return title
}

// faultTitle names the object that a module failed at, or the batch if the error does not name one.
func (w *worker) faultTitle(positions []int, err error) string {
	var f Fault
	if errors.As(err, &f) {
		if k, known := f.Object(); known && k >= 0 && k < len(positions) {
			i := w.batch[positions[k]]
			return w.title(i)
		}
	}
	return w.batchTitle()
}

// fault is the failure for a batch, or for one object of it, that a module failed at. positions are
// the objects of the call.
func (w *worker) fault(h *hop, positions []int, err error) *failure {
	kind := faultOf(err)
	return &failure{kind, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s failed: %s (%s)",
		w.faultTitle(positions, err), h.label, ref(h.module), foreign.Clean(err.Error(), maxFault), advice(kind))}
}
