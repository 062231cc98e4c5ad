package host

import (
	"fmt"
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// heldOutputs bounds the outputs of modules, and the answers made of them, that all reviews
// together hold until they end. A module can answer each of many small objects with a MiB, so the
// size of the requests does not bound them.
type heldOutputs struct {
	bytes atomic.Int64
	limit int64
	// free is what a review may hold whether or not there is room, beside bodyTimes its body: an API
	// server's review, of one object, always fits.
	free int64
}

// bodyTimes is how many times the bytes of its body a review may hold whether or not there is room:
// the outputs of one hop and the answer, of a module that adds nothing. Who calls Review bounds the
// bodies, and shares that bound. So a module whose answers are much larger than its objects leaves
// no list of another kind without room.
const bodyTimes = 2

// freeObjects is how many of the largest objects heldOutputs.free allows: the outputs of three
// hops, and the answer.
const freeObjects = 4

// crowded is the fault of outputs for which the outputs of other reviews leave no room.
type crowded struct{ limit int64 }

func (e crowded) Error() string {
	return fmt.Sprintf("its answers and those to other requests have more than the %d bytes that may be held at once (--max-reply-bytes)", e.limit)
}

func (crowded) Fault() string       { return faults.Busy }
func (crowded) Object() (int, bool) { return 0, false }

// tooLarge is the fault of answers that together are larger than an answer to the API server may
// be.
type tooLarge struct{ limit int }

func (e tooLarge) Error() string {
	return fmt.Sprintf("its answers exceed the limit of %d bytes for one request (--max-reply-bytes)", e.limit)
}

func (tooLarge) Fault() string       { return faults.Output }
func (tooLarge) Object() (int, bool) { return 0, false }
