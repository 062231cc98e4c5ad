package host

import (
	"fmt"
	"slices"

	kjson "sigs.k8s.io/json"

	"github.com/crosswalk-gateway/crosswalk/internal/growth"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// The versions of ConversionReview that the gateway reads and answers in.
const (
	reviewGroup = "apiextensions.k8s.io/"
	reviewKind  = "ConversionReview"
)

// review is a ConversionReview's request: the places of its parts in the body. It is reused for
// later requests.
type review struct {
	body    []byte
	version string // v1 or v1beta1
	uid     string
	uidAt   rawjson.Span // of its JSON value; zero if the body was salvaged
	desired stringMember
	objects []object
	known   knownContainers
	list    rawjson.Kind // the kind of request.objects
	count   int          // how many objects it has, those beyond the limit included
	broken  bool         // the last of them could not be read
	unread  string       // why the request could not be read, though it can be answered; "" otherwise
}

// envelope has the members that must be valid before there can be an answer.
type envelope struct {
	top, request          rawjson.Kind
	apiVersion, kind, uid stringMember
}

// read reads the body in one strict pass. After an error no answer is possible; without one, uid
// and version are known, and the caller checks the rest.
func (r *review) read(s *rawjson.Scanner, body []byte, limits Limits, x *projectionIndex) error {
	*r = review{body: body, objects: r.objects[:0], known: knownContainers{list: r.known.list[:0]}}
	s.Reset(body, limits.Depth+envelopeDepth)
	s.LimitMembers(limits.ObjectBytes/leastMember + envelopeMembers)
	var e envelope
	e.top = s.Peek()
	if e.top == rawjson.Object {
		s.Object()
		for m, ok := s.Member(); ok; m, ok = s.Member() {
			switch string(m.Key) {
			case "apiVersion":
				e.apiVersion = readStringMember(s)
			case "kind":
				e.kind = readStringMember(s)
			case "request":
				r.readRequest(s, &e, limits, x)
			}
		}
	}
	if !s.End() {
		if !r.salvage(s.Err(), &e) {
			return fmt.Errorf("the request body cannot be read as JSON: %w", s.Err())
		}
	}
	return r.judge(&e)
}

func (r *review) readRequest(s *rawjson.Scanner, e *envelope, limits Limits, x *projectionIndex) {
	e.request = s.Peek()
	if e.request != rawjson.Object {
		return
	}
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		switch string(m.Key) {
		case "uid":
			e.uid = readStringMember(s)
		case "desiredAPIVersion":
			r.desired = readStringMember(s)
		case "objects":
			r.list = s.Peek()
			if r.list == rawjson.Array {
				x.want = &r.desired
				r.readObjects(s, limits, x)
			}
		}
	}
}

// readObjects reads the list of objects. It reads no object after an invalid one, or after the
// limit: 100,000 times {} would occupy 60 MB. The scanner skips an element that is not read.
func (r *review) readObjects(s *rawjson.Scanner, limits Limits, x *projectionIndex) {
	x.most = max(minParts, len(r.body)/bytesPerIndexedPart)
	r.known.most = max(minKnown, len(r.body)/bytesPerKnown)
	s.Array()
	for s.Element() {
		r.count++
		n := len(r.objects)
		if r.count > limits.Objects || n > 0 && (len(r.objects[n-1].apiVersion.value) == 0 || len(r.objects[n-1].kind.value) == 0) {
			continue
		}
		if n == cap(r.objects) { // make room for all, if the rest of the body is like the part before
			more := n*(len(r.body)-s.Offset())/(s.Offset()+1) + 1
			r.objects = slices.Grow(r.objects, min(more, limits.Objects-n))
		}
		r.objects = r.objects[:n+1]
		r.known.begin(s, r.body)
		readObject(s, r.body, &r.objects[n], x, &r.known)
	}
	r.known.end(s)
	r.broken = s.Err() != nil && r.count > 0
}

// judge returns the reason why the review cannot be answered, or nil, with uid and version set.
func (r *review) judge(e *envelope) error {
	bad := fmt.Errorf
	if e.top != rawjson.Object {
		return bad("the request body is %v, not a ConversionReview", e.top)
	}
	if string(e.kind.value) != reviewKind {
		return bad("the request body is not a ConversionReview: %s", e.kind.describe("kind"))
	}
	switch string(e.apiVersion.value) {
	case reviewGroup + "v1":
		r.version = "v1"
	case reviewGroup + "v1beta1":
		r.version = "v1beta1"
	default:
		return bad("unknown version of ConversionReview: %s; this gateway reads apiextensions.k8s.io/v1 and apiextensions.k8s.io/v1beta1",
			e.apiVersion.describe("apiVersion"))
	}
	if e.request != rawjson.Object {
		if e.request == rawjson.Invalid {
			return bad("the ConversionReview has no request")
		}
		return bad("the ConversionReview has no request: request is %v, not an object", e.request)
	}
	if len(e.uid.value) == 0 {
		return bad("the ConversionReview cannot be answered: %s", e.uid.describe("request.uid"))
	}
	if n := e.uid.raw.End - e.uid.raw.Start; n > maxUID || len(e.uid.value) > maxUID {
		return bad("the ConversionReview cannot be answered: request.uid has more than %d bytes", maxUID)
	}
	r.uid, r.uidAt = string(e.uid.value), e.uid.raw
	return nil
}

// describe describes the member's value, for a message about a wrong value.
func (t *stringMember) describe(name string) string {
	switch {
	case t.is == rawjson.Invalid:
		return name + " is missing"
	case t.is != rawjson.String:
		return fmt.Sprintf("%s is %v, not a string", name, t.is)
	case len(t.value) == 0:
		return name + " is empty"
	}
	return name + " is " + shown(t.value)
}

// salvageBytes is the largest body that salvage reads: a few times the largest request of an API
// server. It reads a body some ten times slower than the scanner does, and a client that sends more
// has no user who waits for the message.
const salvageBytes = 16 << 20

// salvage deals with a body that did not pass the scanner, for the reason given. If it is JSON all
// the same, as every reader of the API machinery would have it (nested too deep, a key twice, a
// number out of range), and says which review it is, then the failure can be answered in a way that
// reaches the person who waits: API servers keep the text of a 400 to themselves.
func (r *review) salvage(reason error, e *envelope) bool {
	if len(r.body) > salvageBytes {
		return false
	}
	var lax struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Request    *struct {
			UID string `json:"uid"`
		} `json:"request"`
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(r.body, &lax); err != nil || lax.Request == nil {
		return false
	}
	given := func(s string) stringMember { return stringMember{is: rawjson.String, value: []byte(s)} }
	*e = envelope{
		top: rawjson.Object, request: rawjson.Object,
		apiVersion: given(lax.APIVersion), kind: given(lax.Kind), uid: given(lax.Request.UID),
	}
	r.unread = "the request cannot be read: " + reason.Error()
	if r.broken {
		r.unread = fmt.Sprintf("the request cannot be read: object %d: %v", r.count-1, reason)
	}
	return true
}

// title names an object in a message.
func (r *review) title(i int) string { return r.objects[i].title(r.body, i) }

// knownContainers has the places of containers in the objects of a request. They were read, and so
// are valid: equal containers of the next object, or of a module's answer, need not be read again.
type knownContainers struct {
	list     []rawjson.Known // of all objects before the last one; of all objects after end
	most     int             // in list
	begun    bool            // an object has been read, or is
	compared bool            // it was compared with the one before it
	unlike   bool            // an object had nothing in common with the one before it: the next are not compared
}

// knownRange is the part of knownContainers.list from index from up to but not including to.
type knownRange struct{ from, to int }

// At most one container is recorded for every 128 bytes of a body, so their places take an eighth
// of its size. A body of any size may have minKnown.
const (
	bytesPerKnown = 128
	minKnown      = 1024
)

// begin is called before each object of the body, and has it compared with the one before it.
func (n *knownContainers) begin(s *rawjson.Scanner, body []byte) {
	before, most := n.take(s), n.most
	if !n.begun || n.unlike {
		before, most = nil, 0
	}
	s.Record(n.list, most)
	s.Compare(body, before)
	n.begun, n.compared = true, len(before) > 0
}

// whole is called for an object that the module sees, and so answers, as a whole. The answer is
// compared with the object, so its containers are recorded in any case.
func (n *knownContainers) whole(s *rawjson.Scanner) { s.Record(s.Recorded(), n.most) }

// end is called after the last object.
func (n *knownContainers) end(s *rawjson.Scanner) {
	n.take(s)
	s.Record(nil, 0)
	s.Compare(nil, nil)
}

// take adds the containers of the last object to the list and returns them.
func (n *knownContainers) take(s *rawjson.Scanner) (last []rawjson.Known) {
	if !n.begun {
		return nil
	}
	n.unlike = n.unlike || n.compared && s.Equal() == 0
	from := len(n.list)
	n.list = s.Recorded()
	return n.list[from:]
}

// of returns the containers of an object after its metadata.
func (n *knownContainers) of(o *object) []rawjson.Known { return n.list[o.known.from:o.known.to] }

// Limits bound one review. A zero field means its default.
type Limits struct {
	// Objects is the most objects of one review. Default 100,000: API servers send one object a
	// review; a hundred thousand small ones, 22 MB, are more than any list that etcd's compaction
	// interval (5 min) leaves time to convert.
	Objects int

	// ObjectBytes is the most bytes of one object, in the request and in a module's answer. Default
	// 4 MiB: etcd takes 1.5 MiB, and API servers accept requests of 3 MB. An answer is bounded by
	// its input as well: see package growth.
	ObjectBytes int

	// Depth is how deep the containers of one object may be nested, the object itself counting as
	// 1. Default 1,000: a tenth of the depth that API servers accept, and more than a schema can
	// describe.
	Depth int

	// ReplyBytes is the most bytes of the whole answer. Default 128 MiB: twice the largest request
	// that the server takes.
	ReplyBytes int
}

const (
	defaultObjects     = 100_000
	defaultObjectBytes = 4 << 20
	defaultDepth       = 1000
	defaultReplyBytes  = 128 << 20

	// maxUID is the most bytes of a request's uid, quotes included. API servers send 36 characters.
	maxUID = 1 << 10

	// leastMember is the fewest bytes that a member takes, so that no object within its limit has
	// too many: "":0 and a comma.
	leastMember = 5

	// envelopeMembers is how many members a review may have around an object: many times the usual
	// number.
	envelopeMembers = 64

	// envelopeDepth is how deep an object lies in a review: the review, its request, the list of
	// objects.
	envelopeDepth = 3
)

// LargestObject is the largest effective value of Limits.ObjectBytes, 1 GiB: positions within an
// object, and within the bytes that a module's answer adds to it, are kept in 31 bits.
const LargestObject = 1 << 30

// largestDepth is the largest effective value of Limits.Depth: API servers read nothing deeper, and
// the stack suffices for functions that recurse into values of this depth.
const largestDepth = 10_000

// withDefaults returns the limits with every field set.
func (l Limits) withDefaults() Limits {
	set := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	set(&l.Objects, defaultObjects)
	set(&l.ObjectBytes, defaultObjectBytes)
	set(&l.Depth, defaultDepth)
	set(&l.ReplyBytes, defaultReplyBytes)
	l.ObjectBytes, l.Depth = min(l.ObjectBytes, LargestObject), min(l.Depth, largestDepth)
	return l
}

// answerBytes returns the most bytes that a module may answer for an object of so many bytes.
func (l Limits) answerBytes(input int) int { return growth.Limit(input, l.ObjectBytes) }
