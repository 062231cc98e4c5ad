package serve

import (
	"github.com/crosswalk-gateway/crosswalk/host"

	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// An answer is given back when it has gone out, and with HTTP/2 never.
func TestServerRecycles(t *testing.T) {
	for _, size := range []int{100, 100_000, 5_000_000} {
		for _, http2 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d bytes, http2 %v", size, http2), func(t *testing.T) {
				var recycled atomic.Int64
				r := start(t, func(c *ServerConfig) {
					c.HTTP2 = http2
					c.Review = func(context.Context, []byte) ([]byte, host.Outcome, *host.RequestError) {
						return bytes.Repeat([]byte("a"), size), host.Outcome{}, nil
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
