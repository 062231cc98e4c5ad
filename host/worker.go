package host

import (
	"context"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// worker converts chunks of a review, one after the other. Its arena has their inputs until the
// review is answered.
type worker struct {
	state     *conversion
	checker   checker
	arena     arena
	projector projector
	lookup    lookup

	chunk   *chunk   // that is being converted
	batch   batch    // the objects that are being converted
	inputs  [][]byte // the bytes that the next module sees of each of them
	subset  [][]byte // the inputs of some of them
	every   []int    // the positions of all of them in batch
	first   bool     // the inputs are made from the objects in the request, not from earlier outputs
	outputs int      // bytes of outputs for the batch on this hop

	validator validator
}

func newWorker(c *Converter) *worker {
	v := &conversion{converter: c}
	return &worker{state: v, checker: checker{limits: c.limits}, batch: batch{review: &v.review}, validator: validator{state: v}}
}

// convertChunk converts a chunk hop by hop along its path and validates the result. The chunk has the
// failure.
func (w *worker) convertChunk(ctx context.Context, c *chunk) {
	w.chunk, w.outputs, w.batch.objects = c, 0, w.batch.objects[:0]
	for i := c.from; i < c.to; i++ {
		if o := &w.state.objects[i]; o.treatment == byModules && o.source == c.source {
			w.batch.objects = append(w.batch.objects, i)
		}
	}
	path := w.state.sources[c.source].path
	c.last = &path.hops[len(path.hops)-1]
	for n := range path.hops {
		h := &path.hops[n]
		if c.fail = w.project(h, n == 0); c.fail != nil {
			break
		}
		if c.fail = w.hop(ctx, h, n == 0); c.fail != nil {
			break
		}
		w.spreadStashes()
	}
	if c.fail == nil && w.state.converter.applied {
		c.fail = w.answerFieldManagers(ctx, c.last)
	}
	for _, i := range w.batch.objects {
		if w.state.objects[i].content.restored {
			c.restored++
		}
	}
	if c.fail == nil && !c.validated {
		c.fail = w.validator.validate(ctx, w.batch.objects, c)
	}
}

// project makes the inputs for the module of a hop: whole objects, or the fields that the module
// declares.
func (w *worker) project(h *hop, first bool) *failure {
	v := w.state
	w.first = first
	clear(w.inputs)
	w.inputs = slices.Grow(w.inputs[:0], len(w.batch.objects))
	w.projector.reset()
	for _, i := range w.batch.objects {
		o := &v.review.objects[i]
		var input []byte
		c, gathered := w.gatherStash(i)
		switch {
		case !first:
			input = w.arena.write(func(out *writer) { o.write(out, v.review.body, &c, h.fromJSON, forGuest) })
		case h.fields != nil && !gathered: // a module with declared fields never sees the members that guestView leaves out
			input = o.span.Of(v.review.body)
		default:
			input = o.guestView(v.review.body, c.annotated, &w.arena)
		}
		if h.fields != nil {
			var indexed []projection.Part
			if !gathered {
				indexed = v.index.of(o, h.fields)
			}
			if indexed == nil && !w.projector.fits(h.fields, input) {
				return w.batch.tooManyParts(h, i)
			}
			input = w.projector.project(h.fields, input, indexed, &w.arena)
		}
		w.inputs = append(w.inputs, input)
	}
	return nil
}

// gatherStash returns the content of an object as the next module sees it: with one annotation for
// the stash, and without marks.
func (w *worker) gatherStash(i int) (c content, gathered bool) {
	v := w.state
	c = v.objects[i].content
	now := v.current(i)
	if v.converter.applied {
		now.annotations, gathered = v.withoutMarks(now.annotations)
	}
	if one, ok := changeStash(v.group, now.annotations, false); ok {
		now.annotations, gathered = one, true
	}
	if gathered {
		c.annotated = now
	}
	return c, gathered
}

// spreadStashes gives the stashes that a hop wrote the form for API servers.
func (w *worker) spreadStashes() {
	for _, i := range w.batch.objects {
		c := &w.state.objects[i].content
		if spread, ok := changeStash(w.state.group, c.annotations, true); ok {
			c.annotations = spread
		}
	}
}

// hop converts the batch by the module of one hop, with the help of the cache, and accepts the
// outputs.
func (w *worker) hop(ctx context.Context, h *hop, first bool) *failure {
	if ctx.Err() != nil {
		return w.batch.late(h)
	}
	w.count(0)
	if h.fallback != nil { // a module on probation converts every object anew
		return w.callOnProbation(ctx, h, first)
	}
	if w.state.converter.cache == nil {
		return w.call(ctx, h, w.all(), nil)
	}
	l := &w.lookup
	// On the first hop without declared fields, the check of an output depends on the input alone,
	// so its result is cached as well.
	l.begin(w.state.converter.cache, h, w.inputs, first && h.fields == nil)
	defer l.abandon()
	if fail := w.call(ctx, h, l.misses, l); fail != nil {
		return fail
	}
	left := l.wait(ctx) // after storing its own outputs, so that two reviews cannot wait for each other
	for _, hit := range l.hits {
		if fail := w.acceptCached(h, hit); fail != nil {
			return fail
		}
	}
	return w.call(ctx, h, left, nil)
}

// all returns the positions of all objects in the batch.
func (w *worker) all() []int {
	w.every = w.every[:0]
	for j := range w.batch.objects {
		w.every = append(w.every, j)
	}
	return w.every
}

// call has the module convert the objects at these positions of the batch, and accepts its outputs.
// If l is not nil, it stores the outputs in the cache.
func (w *worker) call(ctx context.Context, h *hop, positions []int, l *lookup) *failure {
	if len(positions) == 0 {
		return nil
	}
	inputs := w.inputs
	if len(positions) < len(w.batch.objects) {
		clear(w.subset)
		w.subset = w.subset[:0]
		for _, j := range positions {
			w.subset = append(w.subset, w.inputs[j])
		}
		inputs = w.subset
	}
	outputs, refused, err := h.module.Convert(ctx, h.from, h.to, inputs)
	if err != nil {
		return w.batch.fault(h, positions, err)
	}
	if len(outputs) != len(positions) {
		return w.batch.wrongCount(h, len(outputs), len(positions))
	}
	for k, j := range positions { // refusals first: without a full result there may be no outputs
		if reason, ok := refused[k]; ok {
			return w.batch.refusal(w.batch.objects[j], h, reason)
		}
	}
	if !w.state.hold(total(outputs)) {
		return w.batch.fault(h, nil, crowded{w.state.converter.held.limit})
	}
	if l != nil {
		l.keep(outputs)
	}
	for k, j := range positions {
		if fail := w.check(h, j, outputs[k]); fail != nil {
			return fail
		}
	}
	if l != nil {
		l.store(w)
	}
	return nil
}

// check checks the output for the j-th object of the batch against the contract and makes it the
// object's content.
func (w *worker) check(h *hop, j int, output []byte) *failure {
	if fail := w.add(h, len(output)); fail != nil {
		return fail
	}
	i := w.batch.objects[j]
	v := w.state
	o, c := &v.review.objects[i], &v.objects[i].content
	var broken projection.Breach
	if h.fields != nil {
		broken = w.checker.splice(v.review.body, o, c, w.projector.projected(j), w.inputs[j], output, h, &w.projector, &w.arena)
	} else {
		broken = w.checker.check(&v.review, o, c, w.inputs[j], output, h, w.first)
	}
	if w.checker.maps.overfull {
		w.checker.maps.overfull = false
		return w.batch.refusal(i, h, string(broken))
	}
	if broken != "" {
		return w.batch.contractFailure(i, h, broken)
	}
	if h.fields != nil { // the content is a whole object now
		w.count(w.outputs + c.size() - len(output))
	}
	return nil
}

// acceptCached accepts an output from the cache. It skips the check that an earlier hit passed only
// if that check depends on the input alone in both places; keys do not have the hop at which an
// output was made.
func (w *worker) acceptCached(h *hop, hit hit) *failure {
	if !w.state.hold(len(hit.entry.output)) { // the cache may drop it
		return w.batch.fault(h, nil, crowded{w.state.converter.held.limit})
	}
	if !hit.entry.checked || !w.lookup.checked {
		return w.check(h, hit.position, hit.entry.output)
	}
	w.state.objects[w.batch.objects[hit.position]].content = hit.entry.content
	return w.add(h, len(hit.entry.output))
}

// add counts the bytes of one more output. It fails if all outputs of the review on this hop have
// more than Limits.ReplyBytes.
func (w *worker) add(h *hop, bytes int) *failure {
	if limit := w.state.converter.limits.ReplyBytes; w.count(w.outputs+bytes) > limit {
		return w.batch.fault(h, nil, tooLarge{limit})
	}
	return nil
}

// count sets the bytes of the batch's outputs on this hop, and returns the sum over all chunks.
func (w *worker) count(bytes int) int {
	w.state.outputs += bytes - w.outputs
	w.outputs = bytes
	return w.state.outputs
}

// recycle drops all references to the review.
func (w *worker) recycle() {
	w.state.recycle()
	w.chunk = nil
	w.batch.objects, w.inputs, w.every, w.subset = empty(w.batch.objects), empty(w.inputs), empty(w.every), empty(w.subset)
	w.validator.recycle()
	w.lookup.recycle()
	w.arena.reset()
	w.projector.recycle()
	w.checker.recycle()
}

// total returns how many bytes outputs have together.
func total(outputs [][]byte) (bytes int) {
	for _, o := range outputs {
		bytes += len(o)
	}
	return bytes
}

// A large review is converted in chunks, one after the other. A chunk fills one batch of a module,
// which is 256 KiB by default: the inputs and outputs of so many objects stay in the processor's
// cache until they are checked, and the index of a module's declared fields stays small.
const chunkBytes = 256 << 10

// convert converts all objects that need a module, chunk by chunk, up to the first failure.
func (w *worker) convert(ctx context.Context) *failure {
	v := w.state
	v.cut()
	if len(v.chunks) == 0 {
		return nil
	}
	if v.definition != nil {
		v.budget = schema.NewBudget(ctx)
	}
	for i := range v.chunks {
		c := &v.chunks[i]
		w.convertChunk(ctx, c)
		v.outcome.count(c)
		if c.fail != nil {
			return c.fail
		}
	}
	return nil
}

// count adds the result of a chunk.
func (o *Outcome) count(c *chunk) {
	o.Restored += c.restored
	o.Invalid += c.invalid
	o.Pruned += c.pruned
	if o.Violation == "" {
		o.Violation = c.violation
	}
	o.Unchecked += c.unchecked
	if o.UncheckedCause == "" {
		o.UncheckedCause = c.uncheckedCause
	}
}

// cut divides the objects that modules convert into chunks, in the order of the review.
func (v *conversion) cut() {
	v.chunks = v.chunks[:0]
	for i := range v.sources {
		v.sources[i].chunk = -1
	}
	for i := range v.objects {
		if v.objects[i].treatment != byModules {
			continue
		}
		s, o := &v.sources[v.objects[i].source], &v.review.objects[i]
		n := o.span.End - o.span.Start
		if s.chunk < 0 || v.chunks[s.chunk].bytes+n > chunkBytes {
			s.chunk = len(v.chunks)
			v.chunks = append(v.chunks, chunk{source: v.objects[i].source, from: i})
		}
		c := &v.chunks[s.chunk]
		c.to, c.bytes = i+1, c.bytes+n
	}
}
