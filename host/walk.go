package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// along converts all objects that come in one of the source versions, hop by hop along its path.
func (w *work) along(ctx context.Context, source int) *failure {
	w.batch = slices.Grow(w.batch[:0], len(w.objects))
	for i := range w.objects {
		if c := &w.objects[i]; c.how == byModules && c.source == source {
			w.batch = append(w.batch, i)
		}
	}
	hops := w.sources[source].path.hops
	defer func() {
		for _, i := range w.batch {
			if w.objects[i].content.restored {
				w.outcome.Restored++
			}
		}
	}()
	for n := range hops {
		w.show(hops, n)
		listener := w.listen(w.sources[source].path, n)
		fail := w.step(ctx, &hops[n], n == 0)
		if listener != nil {
			w.tell(listener, &hops[n], fail)
		}
		if fail != nil {
			return fail
		}
	}
	return nil
}

// show makes what the module of a hop sees of the batch.
func (w *work) show(hops []hop, n int) {
	r, h := &w.review, &hops[n]
	clear(w.views)
	w.views = slices.Grow(w.views[:0], len(w.batch))
	w.projector.reset()
	for _, i := range w.batch {
		o := &r.objects[i]
		var whole []byte
		switch {
		case n > 0:
			whole = w.arena.write(func(out *writer) {
				o.write(out, r.body, &w.objects[i].content, hops[n-1].toJSON, forGuest)
			})
		case h.fields != nil: // no module is shown what view would leave out
			whole = o.span.Of(r.body)
		default:
			whole = o.view(r.body, &w.arena)
		}
		if h.fields != nil {
			var parts []projection.Part
			if n == 0 {
				parts = w.notes.of(o, h.fields)
			}
			whole = w.projector.view(h.fields, whole, parts, &w.arena)
		}
		w.views = append(w.views, whole)
	}
}

// step converts the batch by one module, the first on the way or a later one, and checks what it answered.
func (w *work) step(ctx context.Context, h *hop, first bool) *failure {
	if ctx.Err() != nil {
		return &failure{kind: FaultDeadline, message: fmt.Sprintf("cannot convert %s of %s: the time for the request was up before module %s was called (%s)",
			w.batchTitle(), h.label, signed(h.module), advice(FaultDeadline))}
	}
	w.total = 0
	if w.cache.takes(h.module) {
		return w.remembered(ctx, h, first)
	}
	w.every = w.every[:0]
	for j := range w.batch {
		w.every = append(w.every, j)
	}
	return w.some(ctx, h, w.every, nil)
}

// some has the module convert some objects of the batch, given by their positions in it, and checks and takes its answers. With kept, which has
// an entry for each, the answers and what the module saw are copied there first.
func (w *work) some(ctx context.Context, h *hop, positions []int, kept []cacheEntry) *failure {
	views := w.views
	if len(positions) < len(w.batch) {
		w.few = w.few[:0]
		for _, j := range positions {
			w.few = append(w.few, w.views[j])
		}
		views = w.few
	}
	answers, refused, err := h.module.Convert(ctx, h.from, h.to, views)
	if err != nil {
		return w.fault(h, err)
	}
	for k := range kept {
		if k < len(answers) && answers[k] != nil {
			own := make([]byte, len(views[k])+len(answers[k])) // what the module returned may be part of something large
			n := copy(own, views[k])
			copy(own[n:], answers[k])
			kept[k].view, kept[k].answer = own[:n:n], own[n:]
			answers[k] = kept[k].answer
		}
	}
	stand := w.standIn(h, positions, views)
	fail := w.accept(h, positions, answers, refused)
	if fail == nil || fail.kind != FailureContract || stand == nil {
		return fail
	}
	clear(kept)
	return stand(ctx, fail)
}

// standIn prepares for answers of the module that break the contract: if the version before it stands by, it may convert the objects
// instead. It returns nil if there is none.
func (w *work) standIn(h *hop, positions []int, views [][]byte) func(context.Context, *failure) *failure {
	m, ok := h.module.(Succeeding)
	if !ok || !m.OnProbation() {
		return nil
	}
	total, before := w.total, make([]content, len(positions)) // accept writes over what the hop began with
	for k, j := range positions {
		before[k] = w.objects[w.batch[j]].content
	}
	return func(ctx context.Context, fail *failure) *failure {
		answers, refused, confirm, ok := m.Instead(ctx, h.from, h.to, views)
		if !ok {
			return fail
		}
		w.total = total
		for k, j := range positions {
			w.objects[w.batch[j]].content = before[k]
		}
		again := w.accept(h, positions, answers, refused)
		if again != nil && again.kind != FailureRefused {
			return fail // both break it, which says nothing against the newer one
		}
		confirm(fail.message)
		return again
	}
}

// accept checks what a module answered for some objects of the batch, and takes it.
func (w *work) accept(h *hop, positions []int, answers [][]byte, refused map[int]string) *failure {
	if len(answers) != len(positions) {
		return &failure{FailureContract, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s broke the conversion contract: it answered %d objects for %d",
			w.batchTitle(), h.label, signed(h.module), len(answers), len(positions))}
	}
	for k, j := range positions {
		if why, no := refused[k]; no { // first, for there may be no answers then
			w.refused = w.batch[j]
			return w.refusal(w.batch[j], h, why)
		}
	}
	for k, j := range positions {
		if fail := w.take(h, j, answers[k]); fail != nil {
			return fail
		}
	}
	return nil
}

// take checks the answer to the j-th object of the batch, and takes it.
func (w *work) take(h *hop, j int, answer []byte) *failure {
	if fail := w.count(h, len(answer)); fail != nil {
		return fail
	}
	i := w.batch[j]
	c := &w.objects[i].content
	if broken := w.check(i, j, c, answer, h); broken != "" {
		return w.breach(i, h, broken)
	}
	if h.fields != nil { // what it holds now is a whole object
		w.total += c.size() - len(answer)
	}
	return nil
}

// count adds n bytes to those of all answers of a hop.
func (w *work) count(h *hop, n int) *failure {
	if w.total += n; w.total > w.limits.ReplyBytes {
		return w.fault(h, tooLarge{w.limits.ReplyBytes})
	}
	return nil
}

// check holds the answer to an object against the contract; see checker.check.
func (w *work) check(i, j int, c *content, answer []byte, h *hop) (broken string) {
	o := &w.review.objects[i]
	if h.fields != nil {
		return w.checker.splice(w.review.body, o, c, w.projector.seen(j), w.views[j], answer, h, &w.projector, &w.arena)
	}
	return w.checker.check(w.review.body, o, c, w.views[j], answer, h)
}

// refusal is the failure for an object that a guest refused.
func (w *work) refusal(i int, h *hop, why string) *failure {
	if why = words(why, maxRefusal); why == "" {
		why = "(it gave no reason)"
	}
	return &failure{FailureRefused, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: %s [refused by module %s]",
		w.review.objects[i].title(w.review.body, i), h.label, why, signed(h.module))}
}

// breach is the failure for an answer that breaks the contract.
func (w *work) breach(i int, h *hop, broken string) *failure {
	return &failure{FailureContract, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s broke the conversion contract: its answer %s",
		w.review.objects[i].title(w.review.body, i), h.label, signed(h.module), broken)}
}

// batchTitle names the objects of the batch.
func (w *work) batchTitle() string {
	i := w.batch[0]
	title := w.review.objects[i].title(w.review.body, i)
	if n := len(w.batch); n > 1 {
		return fmt.Sprintf("%d objects, the first of them %s,", n, title)
	}
	return title
}

// tooLarge is the fault of answers that together are larger than an answer to the API server may be.
type tooLarge struct{ limit int }

func (e tooLarge) Error() string {
	return fmt.Sprintf("its answers have more than the %d bytes that the answer to one request may have (--max-reply-bytes)", e.limit)
}

func (tooLarge) Fault() string { return FaultOutput }

// fault is the failure for a batch that came to nothing.
func (w *work) fault(h *hop, err error) *failure {
	kind := faultOf(err)
	return &failure{kind, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s failed: %s (%s)",
		w.batchTitle(), h.label, signed(h.module), words(err.Error(), maxFault), advice(kind))}
}

// faultOf says what kind of fault an error of a Module is.
func faultOf(err error) string {
	var f interface{ Fault() string }
	switch {
	case errors.As(err, &f) && advice(f.Fault()) != "":
		return f.Fault()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return FaultDeadline
	}
	return FaultInternal
}

// advice says what to do about a fault; "" for what is none.
func advice(fault string) string {
	switch fault {
	case FaultTrap, FaultStack, FaultABI:
		return "a bug of the module: tell its author"
	case FaultFuel:
		return "it loops without end, or --fuel-per-object and --fuel-per-byte are too low for such objects"
	case FaultDeadline:
		return "try again; if it happens often, the gateway is overloaded or a module slow"
	case FaultMemory:
		return "it loses memory, or --module-memory-bytes is too low for such objects"
	case FaultOutput:
		return "a bug of the module, or the limit on answers is too low for such objects"
	case FaultBusy:
		return "try again; if it happens often, the gateway is overloaded"
	case FaultBreaker:
		return "the gateway tries it again by itself; its log has the failures before"
	case FaultInternal:
		return "the gateway's log may say more"
	}
	return ""
}
