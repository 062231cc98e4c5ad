package serve

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// The tests of this file combine two faults that share a budget: each alone leaves others their share.

// TestUnreadLargeAnswersLeaveRoom combines a module whose answers are much larger than its objects with
// clients that do not read: small requests reserve no room, so only their answers meet the share. A
// large review of another account has its answer made beside them.
func TestUnreadLargeAnswersLeaveRoom(t *testing.T) {
	t.Parallel()
	const budget = 4 * unread
	var converted atomic.Int64
	r := start(t, func(c *ServerConfig) {
		c.Account, c.QueueWait, c.StallTimeout, c.MaxAnswerBytesInFlight = accountOf, time.Millisecond, testTime, budget
		c.Review = func(ctx context.Context, body []byte) ([]byte, host.Outcome, error) {
			if accountOf(body) == "list" {
				return bytes.Clone(body), host.Outcome{}, nil
			}
			return large(unread, &converted)(ctx, body)
		}
	})
	for n := range int64(4) {
		r.ask(t, "large "+goodReview)
		eventually.True(t, "the answer to be made", func() bool { return converted.Load() == n+1 })
	}
	eventually.True(t, "the rest of the answers to be rejected", func() bool { return r.rejections(429) == 2 })
	if held, _ := r.answers.Load(); held != budget/2 {
		t.Errorf("one account holds %d bytes of answers that nobody reads, want %d", held, budget/2)
	}
	list := "list " + strings.Repeat(" ", budget/8)
	if resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader(list))); resp.StatusCode != 200 || text != list {
		t.Errorf("a large review of another account: %d %.100s", resp.StatusCode, text)
	}
}

// TestSlowLargeBodiesLeaveRoom combines clients that stop in a large body with a second kind that does
// the same: together they leave room for the large body of a third.
func TestSlowLargeBodiesLeaveRoom(t *testing.T) {
	t.Parallel()
	const size = 4 * largeMessage // of a buffer, once more than largeMessage has arrived
	r := start(t, func(c *ServerConfig) {
		c.Account, c.QueueWait, c.StallTimeout = accountOf, time.Millisecond, testTime
		c.MaxBodyBytes, c.MaxBodyBytesInFlight = size, 8*size
		c.Review = func(context.Context, []byte) ([]byte, host.Outcome, error) {
			return []byte(`{"converted":true}`), host.Outcome{}, nil
		}
	})
	for i, account := range []string{"a", "b"} {
		for range 5 {
			conn := r.dial(t, true)
			t.Cleanup(func() { conn.Close() })
			_, _ = fmt.Fprintf(conn, "POST /convert HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s %s", size, account, strings.Repeat(" ", largeMessage))
		}
		rejected := map[int]float64{0: 2, 1: 5}[i] // a gets three of eight buffers, and b two
		eventually.True(t, "the bodies beyond the share to be rejected", func() bool { return r.rejections(429) == rejected })
	}
	if resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader("c "+strings.Repeat(" ", 2*largeMessage)))); resp.StatusCode != 200 {
		t.Errorf("a large body of a third kind: %d %s", resp.StatusCode, text)
	}
}
