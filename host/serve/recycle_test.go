package serve

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// TestServerRecycles: the server gives an answer back after it has sent it.
func TestServerRecycles(t *testing.T) {
	for _, size := range []int{100, 100_000, 5_000_000} {
		t.Run(fmt.Sprintf("%d bytes", size), func(t *testing.T) {
			var recycled atomic.Int64
			r := start(t, func(c *ServerConfig) {
				c.Review = func(context.Context, []byte) ([]byte, host.Outcome, error) {
					return bytes.Repeat([]byte("a"), size), host.Outcome{}, nil
				}
				c.Recycle = func(answer []byte) {
					recycled.Add(1)
					for i := range answer {
						answer[i] = 'b' // as the next review would
					}
				}
			})
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
			if recycled.Load() != times {
				t.Errorf("%d answers were given back, want %d", recycled.Load(), times)
			}
		})
	}
}
