package host

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
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
