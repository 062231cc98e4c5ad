package host

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// The frame of an answer. Its members have this order for every request.
const (
	answerStart   = `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/`
	answerUID     = `","response":{"uid":`
	answerObjects = `,"convertedObjects":[`
	answerSuccess = `],"result":{"status":"Success"}}}`
	answerFailed  = `],"result":{"status":"Failed","message":`
	answerReason  = `,"reason":"`
	answerEnd     = `"}}}`
)

// write writes the answer with every object. It fails if the answer would be too large.
func (v *conversion) write() ([]byte, *failure) {
	var quoted [64]byte // API servers send 36 characters
	uid := rawjson.Quote(quoted[:0], v.review.uid)
	count := writer{counting: true}
	v.writeObjects(&count)
	size := len(answerStart) + len(v.review.version) + len(answerUID) + len(uid) + len(answerObjects) + count.n + len(answerSuccess)
	if size > v.converter.limits.ReplyBytes {
		return nil, &failure{reason: faults.Output, message: fmt.Sprintf("the answer has %d bytes; this gateway answers one request with %d at most (--max-reply-bytes)", size, v.converter.limits.ReplyBytes)}
	}
	if !v.hold(size) {
		limit := v.converter.held.limit
		return nil, &failure{reason: faults.Busy, message: fmt.Sprintf("the answer has %d bytes, and with what is held for other requests more than the %d that may be held at once (--max-reply-bytes) (%s)", size, limit, advice(faults.Busy))}
	}
	answer := v.converter.answers.get(size)
	answer = append(append(answer, answerStart...), v.review.version...)
	answer = append(append(append(answer, answerUID...), uid...), answerObjects...)
	out := writer{dst: answer}
	v.writeObjects(&out)
	return append(out.dst, answerSuccess...), nil
}

// writeObjects writes every object of the review, in order.
func (v *conversion) writeObjects(out *writer) {
	r := &v.review
	desired := r.desired.raw.Of(r.body)
	for i := range v.objects {
		if i > 0 {
			out.string(",")
		}
		o := &r.objects[i]
		switch c := &v.objects[i]; c.treatment {
		case asIs:
			out.bytes(o.span.Of(r.body))
		case renamed:
			out.string(`{"apiVersion":`)
			out.bytes(desired)
			out.string(`,"kind":`)
			out.bytes(o.kind.raw.Of(r.body))
			out.string(`,"metadata":{}}`)
		default:
			o.write(out, r.body, &c.content, desired, forServer)
		}
	}
}

// failed writes the answer for a failed review. reason is one of Failures.
func (r *review) failed(reason, message string) []byte {
	const frame = len(answerStart) + len("v1beta1") + len(answerUID) + len(answerObjects) + len(answerFailed) + len(answerReason) + len(answerEnd)
	out := make([]byte, 0, frame+len(r.uid)+len(message)+len(reason)+32) // 32: quotes, and a few escapes
	out = append(append(out, answerStart...), r.version...)
	out = rawjson.Quote(append(out, answerUID...), r.uid)
	out = append(append(out, answerObjects...), answerFailed...)
	return append(append(append(rawjson.Quote(out, message), answerReason...), reason...), answerEnd...)
}

// FailedAnswer returns the answer to a request body that says only that the review failed, and why, for
// callers that have no answer of a Converter. It returns nil if the body does not name a uid and a
// known version of ConversionReview. It reads no further than these two: API servers write them
// before the objects, and reading a large body twice would be work that the client did not pay for.
func FailedAnswer(body []byte, reason, message string) (answer []byte, version, uid string) {
	apiVersion, uid := addressee(body)
	version, known := strings.CutPrefix(apiVersion, reviewGroup)
	if uid == "" || !known || version != "v1" && version != "v1beta1" {
		return nil, "", ""
	}
	r := review{version: version, uid: uid}
	return r.failed(reason, message), version, uid
}

// addressee returns the review's apiVersion and uid; "" for a value that is absent, not a string,
// or too long.
func addressee(body []byte) (apiVersion, uid string) {
	var s rawjson.Scanner
	s.Reset(body, 0)
	if !s.Object() {
		return "", ""
	}
	short := func() string {
		if t := readStringMember(&s); len(t.value) <= maxUID { // no text, unless it is a string
			return string(t.value)
		}
		return ""
	}
	for m, ok := s.Member(); ok && (apiVersion == "" || uid == ""); m, ok = s.Member() {
		switch {
		case string(m.Key) == "apiVersion":
			apiVersion = short()
		case string(m.Key) == "request" && s.Object():
			for m, ok := s.Member(); ok; m, ok = s.Member() {
				if string(m.Key) != "uid" {
					continue
				}
				if uid = short(); apiVersion != "" {
					return apiVersion, uid
				}
			}
		}
	}
	return apiVersion, uid
}
