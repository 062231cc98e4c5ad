package host

import (
	"context"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

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
