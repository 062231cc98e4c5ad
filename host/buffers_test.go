package host

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

func TestAnswerBuffers(t *testing.T) {
	var a answerBuffers
	seen := map[int]int{} // capacity by index
	for n := 0; n < 1<<20; n += 1 + n/64 {
		capacity, index := a.class(n)
		if capacity < n || capacity > max(leastAnswer, n+n/4+1) {
			t.Fatalf("%d bytes get a buffer of %d", n, capacity)
		}
		if known, ok := seen[index]; ok && known != capacity {
			t.Fatalf("buffers of %d and of %d bytes are kept in one place", known, capacity)
		}
		seen[index] = capacity
		if again, same := a.class(capacity); again != capacity || same != index {
			t.Fatalf("a buffer of %d bytes is kept as one of %d", capacity, again)
		}
	}
	for _, foreign := range [][]byte{nil, {}, make([]byte, 5000), make([]byte, leastAnswer+1)} {
		a.put(foreign)
	}
	if got := a.get(leastAnswer + 1); cap(got) != leastAnswer*5/4 || len(got) != 0 {
		t.Errorf("got a buffer of %d bytes with %d in it", cap(got), len(got))
	}
	large := make([]byte, 0, largestKept*5/4)
	a.put(large)
	if again := a.get(cap(large)); unsafe.SliceData(again) == unsafe.SliceData(large) {
		t.Errorf("a buffer of %d bytes is kept", cap(large))
	}
}

// TestArenaSlices: slices of an arena stay as they were written, also where one fills its block, and
// the next use of the arena begins in the memory that it has.
func TestArenaSlices(t *testing.T) {
	var a arena
	fill := func(c byte, n int) []byte {
		return a.build(n, func(dst []byte) []byte { return append(dst, bytes.Repeat([]byte{c}, n)...) })
	}
	first := fill('a', arenaBlock-100)
	second := fill('b', 100) // to the end of the block
	third := fill('c', 10)
	_ = append(first, 'x') // a module may append to its input
	for _, test := range []struct {
		got  []byte
		c    byte
		size int
	}{{first, 'a', arenaBlock - 100}, {second, 'b', 100}, {third, 'c', 10}} {
		if want := bytes.Repeat([]byte{test.c}, test.size); !bytes.Equal(test.got, want) {
			t.Errorf("a slice of %d times %c begins %.20q", test.size, test.c, test.got)
		}
	}
	a.reset()
	if again := fill('d', 10); unsafe.SliceData(again) != unsafe.SliceData(a.block) {
		t.Error("after a reset, the arena does not use its block from the beginning")
	}
}

// Answers are the same when their memory is used again, by many reviews at a time.
func TestRecycle(t *testing.T) {
	c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(nil)}})
	plain := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(nil)}})
	var running sync.WaitGroup
	for worker := range 8 {
		running.Go(func() {
			for i := range 200 {
				objects := make([]string, 1+(worker+i)%40)
				for n := range objects {
					objects[n] = fmt.Sprintf(`{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"c-%d-%d-%d"},"spec":{"pad":%q}}`, worker, i, n, strings.Repeat("x", 97*n))
				}
				body := []byte(reviewOf("v1", "stable.example.com/v2", objects...))
				want, _, _ := plain.Review(context.Background(), body)
				answer, outcome, err := c.Review(context.Background(), body)
				if err != nil || outcome.Failure != "" {
					t.Errorf("%v %s", err, outcome.Message)
					return
				}
				if !bytes.Equal(answer, want) {
					t.Errorf("the answer is\n%.300s\nwant\n%.300s", answer, want)
				}
				c.Recycle(answer)
			}
		})
	}
	running.Wait()
}
