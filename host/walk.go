package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// walk converts the objects of a share, hop by hop along the path of their version.
func (l *lane) walk(ctx context.Context, p *share) *failure {
	l.batch = l.batch[:0]
	for i := p.from; i < p.to; i++ {
		if c := &l.objects[i]; c.how == byModules && c.source == p.source {
			l.batch = append(l.batch, i)
		}
	}
	defer func() {
		for _, i := range l.batch {
			if l.objects[i].content.restored {
				p.restored++
			}
		}
	}()
	defer l.leaveCrowd()
	path := l.sources[p.source].path
	p.last = &path.hops[len(path.hops)-1]
	for n := range path.hops {
		h := &path.hops[n]
		if fail := l.show(ctx, h, n == 0); fail != nil {
			return fail
		}
		listener := l.listen(path, n)
		fail := l.step(ctx, h, n == 0)
		l.leaveCrowd()
		if listener != nil {
			l.tell(listener, h, fail)
		}
		if fail != nil {
			return fail
		}
	}
	return nil
}

// show makes what the module of a hop, the first on the way or a later one, sees of the batch.
func (l *lane) show(ctx context.Context, h *hop, first bool) *failure {
	r := &l.review
	clear(l.views)
	l.views = slices.Grow(l.views[:0], len(l.batch))
	l.projector.reset()
	for j, i := range l.batch {
		o := &r.objects[i]
		var whole []byte
		switch {
		case !first:
			whole = l.arena.write(func(out *writer) {
				o.write(out, r.body, &l.objects[i].content, h.fromJSON, forGuest)
			})
		case h.fields != nil: // no module is shown what view would leave out
			whole = o.span.Of(r.body)
		default:
			whole = o.view(r.body, &l.arena)
		}
		if h.fields != nil {
			var parts []projection.Part
			if first {
				parts = l.notes.of(o, h.fields)
			}
			if parts == nil && !l.expect(ctx, h.fields, whole, j) {
				return l.late(h)
			}
			whole = l.projector.view(h.fields, whole, parts, &l.arena)
		}
		l.views = append(l.views, whole)
	}
	return nil
}

// late is the failure for a batch that the time for the request is over for before a module was called.
func (l *lane) late(h *hop) *failure {
	return &failure{kind: FaultDeadline, message: fmt.Sprintf("cannot convert %s of %s: the time for the request was up before module %s was called (%s)",
		l.batchTitle(), h.label, signed(h.module), advice(FaultDeadline))}
}

// step converts the batch by one module, the first on the way or a later one, and checks what it answered.
func (l *lane) step(ctx context.Context, h *hop, first bool) *failure {
	if ctx.Err() != nil {
		return l.late(h)
	}
	l.settle(0)
	if h.previous == nil && l.cache.takes(h.module) { // one on probation is to be asked every time
		return l.remembered(ctx, h, first)
	}
	l.every = l.every[:0]
	for j := range l.batch {
		l.every = append(l.every, j)
	}
	if h.previous != nil {
		return l.proving(ctx, h, first)
	}
	return l.some(ctx, h, l.every, nil)
}

// some has the module convert some objects of the batch, given by their positions in it, and checks and takes its answers. With kept, which has
// an entry for each, the answers and what the module saw are copied there first.
func (l *lane) some(ctx context.Context, h *hop, positions []int, kept []cacheEntry) *failure {
	views := l.views
	if len(positions) < len(l.batch) {
		clear(l.few)
		l.few = l.few[:0]
		for _, j := range positions {
			l.few = append(l.few, l.views[j])
		}
		views = l.few
	}
	answers, refused, err := h.module.Convert(ctx, h.from, h.to, views)
	if err != nil {
		return l.fault(h, positions, err)
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
	return l.accept(h, positions, answers, refused)
}

// accept checks what a module answered for some objects of the batch, and takes it.
func (l *lane) accept(h *hop, positions []int, answers [][]byte, refused map[int]string) *failure {
	if len(answers) != len(positions) {
		return &failure{FailureContract, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s broke the conversion contract: it answered %d objects for %d",
			l.batchTitle(), h.label, signed(h.module), len(answers), len(positions))}
	}
	for k, j := range positions {
		if why, no := refused[k]; no { // first, for there may be no answers then
			l.refused = l.batch[j]
			return l.refusal(l.batch[j], h, why)
		}
	}
	for k, j := range positions {
		if fail := l.take(h, j, answers[k]); fail != nil {
			return fail
		}
	}
	return nil
}

// take checks the answer to the j-th object of the batch, and takes it.
func (l *lane) take(h *hop, j int, answer []byte) *failure {
	if fail := l.count(h, len(answer)); fail != nil {
		return fail
	}
	i := l.batch[j]
	c := &l.objects[i].content
	if broken := l.check(i, j, c, answer, h); broken != "" {
		return l.breach(i, h, broken)
	}
	if h.fields != nil { // what it holds now is a whole object
		l.settle(l.answered + c.size() - len(answer))
	}
	return nil
}

// count adds n bytes to those of all answers of a hop.
func (l *lane) count(h *hop, n int) *failure {
	if l.settle(l.answered+n) > l.limits.ReplyBytes {
		return l.fault(h, nil, tooLarge{l.limits.ReplyBytes})
	}
	return nil
}

// check holds the answer to an object against the contract; see checker.check.
func (l *lane) check(i, j int, c *content, answer []byte, h *hop) (broken string) {
	o := &l.review.objects[i]
	if h.fields != nil {
		return l.checker.splice(l.review.body, o, c, l.projector.seen(j), l.views[j], answer, h, &l.projector, &l.arena)
	}
	return l.checker.check(l.review.body, o, c, l.views[j], answer, h)
}

// refusal is the failure for an object that a guest refused.
func (l *lane) refusal(i int, h *hop, why string) *failure {
	if why = words(why, maxRefusal); why == "" {
		why = "refused without a reason"
	}
	return &failure{FailureRefused, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: %s [refused by module %s]",
		l.review.objects[i].title(l.review.body, i), h.label, why, signed(h.module))}
}

// breach is the failure for an answer that breaks the contract.
func (l *lane) breach(i int, h *hop, broken string) *failure {
	return &failure{FailureContract, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s broke the conversion contract: its answer %s",
		l.review.objects[i].title(l.review.body, i), h.label, signed(h.module), broken)}
}

// batchTitle names the objects of the batch.
func (l *lane) batchTitle() string {
	i := l.batch[0]
	title := l.review.objects[i].title(l.review.body, i)
	if n := len(l.batch); n > 1 {
		return fmt.Sprintf("%d objects, the first of them %s,", n, title)
	}
	return title
}

// faultTitle names the object that a module failed at, or the batch if the error does not say which one that was.
func (l *lane) faultTitle(positions []int, err error) string {
	var at interface {
		Object() (index int, known bool)
	}
	if errors.As(err, &at) {
		if k, known := at.Object(); known && k >= 0 && k < len(positions) {
			i := l.batch[positions[k]]
			return l.review.objects[i].title(l.review.body, i)
		}
	}
	return l.batchTitle()
}

// tooLarge is the fault of answers that together are larger than an answer to the API server may be.
type tooLarge struct{ limit int }

func (e tooLarge) Error() string {
	return fmt.Sprintf("its answers have more than the %d bytes that the answer to one request may have (--max-reply-bytes)", e.limit)
}

func (tooLarge) Fault() string { return FaultOutput }

// fault is the failure for objects of the batch, given by their positions in it, that a module failed at.
func (l *lane) fault(h *hop, positions []int, err error) *failure {
	kind := faultOf(err)
	return &failure{kind, h.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s failed: %s (%s)",
		l.faultTitle(positions, err), h.label, signed(h.module), words(err.Error(), maxFault), advice(kind))}
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
