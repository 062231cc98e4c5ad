package host

import (
	"fmt"
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/growth"
)

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

// heldOutputs bounds the outputs of modules, and the answers made of them, that all reviews
// together hold until they end. A module can answer each of many small objects with a MiB, so the
// size of the requests does not bound them.
type heldOutputs struct {
	bytes atomic.Int64
	limit int64
	// free is what a review may hold whether or not there is room: an API server's review, of one
	// object, always fits.
	free int64
}

// freeObjects is how many of the largest objects heldOutputs.free allows: the outputs of three
// hops, and the answer.
const freeObjects = 4

// hold adds bytes to those that the review holds until it ends. It reports false if all reviews
// together then hold more than the limit, unless this review holds little, or is the only one that
// holds any: then Limits.ReplyBytes bounds it.
func (v *conversion) hold(bytes int) bool {
	h := &v.converter.held
	v.held += int64(bytes)
	all := h.bytes.Add(int64(bytes))
	return all <= h.limit || v.held <= h.free || v.held == all
}

// letGo ends all holds of the review.
func (v *conversion) letGo() {
	v.converter.held.bytes.Add(-v.held)
	v.held = 0
}

// crowded is the fault of outputs for which the outputs of other reviews leave no room.
type crowded struct{ limit int64 }

func (e crowded) Error() string {
	return fmt.Sprintf("its answers and those to other requests have more than the %d bytes that may be held at once (--max-reply-bytes)", e.limit)
}

func (crowded) Fault() string       { return faults.Busy }
func (crowded) Object() (int, bool) { return 0, false }
