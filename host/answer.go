package host

import (
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// The answer's framework. Members come in this order whatever the request's was.
const (
	answerStart   = `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/`
	answerUID     = `","response":{"uid":`
	answerObjects = `,"convertedObjects":[`
	answerSuccess = `],"result":{"status":"Success"}}}`
	answerFailed  = `],"result":{"status":"Failed","message":`
	answerEnd     = `}}}`
)

// success writes the answer with every object, or fails because it would be too large.
func (w *work) success() ([]byte, *failure) {
	var quoted [64]byte // API servers send 36 characters
	uid := rawjson.Quote(quoted[:0], w.review.uid)
	ranges := w.ranges()
	w.each(ranges, (*work).measure)
	size := len(answerStart) + len(w.review.version) + len(answerUID) + len(uid) + len(answerObjects) + len(answerSuccess)
	for i := range ranges {
		size += ranges[i].bytes
	}
	if size > w.limits.ReplyBytes {
		return nil, &failure{kind: FaultOutput, message: fmt.Sprintf("the answer has %d bytes; this gateway answers one request with %d at most (--max-reply-bytes)", size, w.limits.ReplyBytes)}
	}
	answer := w.answers.take(size)
	answer = append(append(answer, answerStart...), w.review.version...)
	answer = append(append(append(answer, answerUID...), uid...), answerObjects...)
	for i := range ranges {
		r := &ranges[i]
		n := len(answer)
		answer = answer[:n+r.bytes]
		r.dst = answer[n:n:len(answer)]
	}
	w.each(ranges, (*work).fill)
	return append(answer, answerSuccess...), nil
}

// written is a range of the review's objects, and where in the answer they are.
type written struct {
	from, to int
	bytes    int
	dst      []byte // empty, with room for them
}

// ranges divides the objects into as many ranges as lanes were needed to convert them.
func (w *work) ranges() []written {
	n := max(1, min(len(w.lanes), len(w.shares)))
	w.spans = slices.Grow(w.spans[:0], n)[:n]
	for k := range w.spans {
		w.spans[k] = written{from: k * len(w.objects) / n, to: (k + 1) * len(w.objects) / n}
	}
	return w.spans
}

// each calls f for all ranges, at once if there are several. f captures nothing, so that a small review allocates nothing here.
func (w *work) each(ranges []written, f func(w *work, r *written)) {
	if len(ranges) == 1 {
		f(w, &ranges[0])
		return
	}
	atOnce(len(ranges), func(k int) { f(w, &ranges[k]) })
}

// measure finds how many bytes a range takes.
func (w *work) measure(r *written) {
	out := writer{counting: true}
	w.write(&out, r)
	r.bytes = out.n
}

// fill writes a range to its place in the answer.
func (w *work) fill(r *written) {
	out := writer{dst: r.dst}
	w.write(&out, r)
	if n := len(out.dst); n < r.bytes { // never, but what would stand there is another review's
		clear(r.dst[n:r.bytes])
	}
}

// write writes the objects of a range.
func (w *work) write(out *writer, of *written) {
	r := &w.review
	desired := r.desired.raw.Of(r.body)
	for i := of.from; i < of.to; i++ {
		if i > 0 {
			out.string(",")
		}
		o := &r.objects[i]
		switch c := &w.objects[i]; c.how {
		case asItIs:
			out.bytes(o.span.Of(r.body))
		case byName:
			out.string(`{"apiVersion":`)
			out.bytes(desired)
			out.string(`,"kind":`)
			out.bytes(o.kind.raw.Of(r.body))
			out.string(`,"metadata":{}}`)
		default:
			o.write(out, r.body, &c.content, desired, w.reader)
		}
	}
}

// failed writes the answer that the review failed, and why.
func (r *review) failed(message string) []byte {
	const frame = len(answerStart) + len("v1beta1") + len(answerUID) + len(answerObjects) + len(answerFailed) + len(answerEnd)
	out := make([]byte, 0, frame+len(r.uid)+len(message)+32) // 32: quotes, and what little has to be escaped
	out = append(append(out, answerStart...), r.version...)
	out = rawjson.Quote(append(out, answerUID...), r.uid)
	out = append(append(out, answerObjects...), answerFailed...)
	out = rawjson.Quote(out, message)
	return append(out, answerEnd...)
}
