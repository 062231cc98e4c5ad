package host

import (
	"fmt"

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
	var buf [64]byte // API servers send 36 characters
	uid := rawjson.Quote(buf[:0], w.review.uid)
	out := writer{counting: true}
	w.write(&out, uid)
	if out.n > w.limits.ReplyBytes {
		return nil, &failure{kind: FaultOutput, message: fmt.Sprintf("the answer has %d bytes; this gateway answers one request with %d at most (--max-reply-bytes)", out.n, w.limits.ReplyBytes)}
	}
	out = writer{dst: make([]byte, 0, out.n)}
	w.write(&out, uid)
	return out.dst, nil
}

func (w *work) write(out *writer, uid []byte) {
	r := &w.review
	out.string(answerStart)
	out.string(r.version)
	out.string(answerUID)
	out.bytes(uid)
	out.string(answerObjects)
	for i := range w.objects {
		if i > 0 {
			out.string(",")
		}
		o, desired := &r.objects[i], r.desired.raw.Of(r.body)
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
	out.string(answerSuccess)
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
