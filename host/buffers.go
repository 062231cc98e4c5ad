package host

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// arena allocates byte slices that stay valid until it is reset. It grows by new blocks and never
// moves or overwrites earlier slices: a module may answer with the very slices it was given, and
// labels of one answer live on in the next.
type arena struct {
	block []byte
	w     writer // here, and not in write, as it would be allocated there
}

// arenaBlock is the least size of a block: room for the view of a common object. arenaKeep is the
// largest block that reset keeps.
const (
	arenaBlock = 16 << 10
	arenaKeep  = 1 << 20
)

// write returns a slice with the bytes that f writes. It calls f twice, first to count; f must
// write the same both times.
func (a *arena) write(f func(w *writer)) []byte {
	w := &a.w
	*w = writer{counting: true}
	f(w)
	if cap(a.block)-len(a.block) < w.n {
		a.block = make([]byte, 0, max(w.n, min(2*cap(a.block), arenaKeep), arenaBlock))
	}
	start := len(a.block)
	w.counting, w.dst = false, a.block
	f(w)
	a.block, w.dst = w.dst, nil
	return a.block[start:len(a.block):len(a.block)]
}

// build returns the slice that f appends to an empty slice with room for n bytes. If n is too
// small, the result is allocated outside the arena.
func (a *arena) build(n int, f func(dst []byte) []byte) []byte {
	if cap(a.block)-len(a.block) < n {
		a.block = make([]byte, 0, max(n, min(2*cap(a.block), arenaKeep), arenaBlock))
	}
	start := len(a.block)
	out := f(a.block[start:start])
	if len(out) <= cap(a.block)-start {
		a.block = a.block[:start+len(out)]
	}
	return out[:len(out):len(out)]
}

// reset empties the arena. Its slices must not be used any more.
func (a *arena) reset() {
	if cap(a.block) > arenaKeep {
		a.block = nil
	}
	a.block = a.block[:0]
}

// leastAnswer is the capacity of the smallest buffer for an answer: room for that to a review of
// one common object (3.8 KB).
const leastAnswer = 8 << 10

// largestKept is the capacity of the largest buffer that is kept: 100,000 small objects make an
// answer of 22 MB. Without a bound, a few answers of --max-reply-bytes would stay for two garbage
// collections after they were sent.
const largestKept = 32 << 20

// answerBuffers keeps the buffers of answers that were sent. New memory is zeroed before it is
// written, and collected afterwards: a fifth of the CPU of a large review whose module declares its
// fields. An unused buffer is freed with the second garbage collection after its last use. It is
// safe for concurrent use.
type answerBuffers struct {
	pools [4 * bits.UintSize]sync.Pool // of *[]byte, by class
}

// class returns the capacity of the buffers for n bytes, and where they are kept. There are four to
// each power of two, so that at most a quarter of a buffer stays empty.
func (*answerBuffers) class(n int) (capacity, index int) {
	last := max(n, leastAnswer) - 1
	shift := bits.Len(uint(last)) - 3
	quarters := last>>shift + 1 // 5 to 8
	return quarters << shift, 4*shift + quarters - 5
}

// get returns an empty buffer with room for n bytes.
func (a *answerBuffers) get(n int) []byte {
	capacity, index := a.class(n)
	if spare, ok := a.pools[index].Get().(*[]byte); ok {
		return *spare
	}
	return make([]byte, 0, capacity)
}

// put keeps a buffer that get returned.
func (a *answerBuffers) put(buffer []byte) {
	if capacity, index := a.class(cap(buffer)); capacity == cap(buffer) && capacity <= largestKept {
		buffer = buffer[:0]
		a.pools[index].Put(&buffer)
	}
}

// empty returns the slice without elements and clears them. It returns nil if the slice is too
// large to keep.
func empty[T any](s []T) []T {
	const keep = 4096 // objects: about 2 MB for all slices of a conversion
	if cap(s) > keep {
		return nil
	}
	clear(s)
	return s[:0]
}

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
