package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
		fail := w.step(ctx, &hops[n])
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
			whole = w.projector.view(h.fields, whole, &w.arena)
		}
		w.views = append(w.views, whole)
	}
}

// step converts the batch by one module and checks what it answered.
func (w *work) step(ctx context.Context, h *hop) *failure {
	if ctx.Err() != nil {
		return &failure{kind: FaultDeadline, message: fmt.Sprintf("cannot convert %s of %s: the time for the request was up before module %s was called (%s)",
			w.batchTitle(), h.label, signed(h.module), advice(FaultDeadline))}
	}
	answers, refused, err := h.module.Convert(ctx, h.from, h.to, w.views)
	if err != nil {
		return w.fault(h, err)
	}
	stand := w.standIn(h)
	fail := w.accept(h, answers, refused)
	if fail == nil || fail.kind != FailureContract || stand == nil {
		return fail
	}
	return stand(ctx, fail)
}

// standIn prepares for answers of the module that break the contract: if the version before it stands by, it may convert the batch
// instead. It returns nil if there is none.
func (w *work) standIn(h *hop) func(context.Context, *failure) *failure {
	m, ok := h.module.(Succeeding)
	if !ok || !m.OnProbation() {
		return nil
	}
	before := make([]content, len(w.batch)) // accept writes over what the hop began with
	for j, i := range w.batch {
		before[j] = w.objects[i].content
	}
	return func(ctx context.Context, fail *failure) *failure {
		answers, refused, confirm, ok := m.Instead(ctx, h.from, h.to, w.views)
		if !ok {
			return fail
		}
		for j, i := range w.batch {
			w.objects[i].content = before[j]
		}
		again := w.accept(h, answers, refused)
		if again != nil && again.kind != FailureRefused {
			return fail // both break it, which says nothing against the newer one
		}
		confirm(fail.message)
		return again
	}
}

// accept checks what a module answered for the batch, and takes it.
func (w *work) accept(h *hop, answers [][]byte, refused map[int]string) *failure {
	if len(answers) != len(w.batch) {
		return &failure{FailureContract, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s broke the conversion contract: it answered %d objects for %d",
			w.batchTitle(), h.label, signed(h.module), len(answers), len(w.batch))}
	}
	total := 0
	for j, i := range w.batch {
		if why, no := refused[j]; no {
			w.refused = i
			return w.refusal(i, h, why)
		}
		if total += len(answers[j]); total > w.limits.ReplyBytes {
			return w.fault(h, tooLarge{w.limits.ReplyBytes})
		}
		c := &w.objects[i].content
		if broken := w.check(i, j, c, answers[j], h); broken != "" {
			return w.breach(i, h, broken)
		}
		if h.fields != nil { // what it holds now is a whole object
			total += len(c.doc) - len(answers[j])
		}
	}
	return nil
}

// check holds the answer to an object against the contract; see checker.check.
func (w *work) check(i, j int, c *content, answer []byte, h *hop) (broken string) {
	o := &w.review.objects[i]
	if h.fields != nil {
		return w.checker.splice(w.review.body, o, c, w.projector.seen(j), w.views[j], answer, h, &w.arena)
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
