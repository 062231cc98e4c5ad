package host

import "github.com/crosswalk-gateway/crosswalk/internal/growth"

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
