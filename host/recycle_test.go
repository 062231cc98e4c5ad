package host

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
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
	if got := a.take(leastAnswer + 1); cap(got) != leastAnswer*5/4 || len(got) != 0 {
		t.Errorf("got a buffer of %d bytes with %d in it", cap(got), len(got))
	}
}

// Answers are the same when their memory is used again, by many reviews at a time.
func TestRecycle(t *testing.T) {
	c := NewConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(nil)}})
	plain := NewConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(nil)}})
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

// An answer is given back when it has gone out, and with HTTP/2 never.
func TestServerRecycles(t *testing.T) {
	for _, size := range []int{100, 100_000, 5_000_000} {
		for _, http2 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d bytes, http2 %v", size, http2), func(t *testing.T) {
				var recycled atomic.Int64
				r := start(t, func(c *ServerConfig) {
					c.HTTP2 = http2
					c.Review = func(context.Context, []byte) ([]byte, Outcome, *RequestError) {
						return bytes.Repeat([]byte("a"), size), Outcome{}, nil
					}
					c.Recycle = func(answer []byte) {
						recycled.Add(1)
						for i := range answer {
							answer[i] = 'b' // what the next review would do
						}
					}
				})
				r.client.Transport.(*http.Transport).ForceAttemptHTTP2 = http2
				const times = 3
				for range times {
					resp, answer := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader(goodReview)))
					if resp.StatusCode != http.StatusOK || answer != strings.Repeat("a", size) {
						t.Fatalf("got %d and %d bytes, %d of them changed", resp.StatusCode, len(answer), strings.Count(answer, "b"))
					}
				}
				r.stop()
				if err := r.ended(); err != nil { // the handlers have returned
					t.Error(err)
				}
				if want := map[bool]int64{false: times, true: 0}[http2]; recycled.Load() != want {
					t.Errorf("%d answers were given back, want %d", recycled.Load(), want)
				}
			})
		}
	}
}
