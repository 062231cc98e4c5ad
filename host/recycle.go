package host

import (
	"math/bits"
	"sync"
)

// leastAnswer is the capacity of the smallest buffer for an answer: room for that to a review of one common object (3.8 KB).
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

// class returns the capacity of the buffers for n bytes, and where they are kept. There are four to each power of two, so that at most a
// quarter of a buffer stays empty.
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

// Recycle reuses the memory of an answer that Review returned. The caller must not use the answer
// any more. Answers that are not recycled are collected as garbage.
func (c *Converter) Recycle(answer []byte) { c.answers.put(answer) }
