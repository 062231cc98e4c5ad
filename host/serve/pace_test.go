package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// unread is the size of an answer that a client does not read: more than the sockets of both ends
// take, 4 and 6 MiB at most on Linux.
const unread = 12 << 20

// large is a Review func that answers a body of the word large with so many bytes, and others with
// a few. It counts the large ones.
func large(size int, converted *atomic.Int64) func(context.Context, []byte) ([]byte, host.Outcome, error) {
	return func(_ context.Context, body []byte) ([]byte, host.Outcome, error) {
		if bytes.HasPrefix(body, []byte("large")) {
			converted.Add(1)
			return make([]byte, size), host.Outcome{}, nil
		}
		return []byte(`{"converted":true}`), host.Outcome{}, nil
	}
}

// ask sends a request over a connection of its own, which nobody reads.
func (r *running) ask(t *testing.T, body string) net.Conn {
	t.Helper()
	conn := r.dial(t, true)
	t.Cleanup(func() { conn.Close() })
	if _, err := fmt.Fprintf(conn, "POST /convert HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestUnreadAnswersHoldNoSlot has four times as many clients as there are slots leave large answers
// unread. Small reviews are answered meanwhile.
func TestUnreadAnswersHoldNoSlot(t *testing.T) {
	const slow = 8
	var converted atomic.Int64
	r := start(t, func(c *ServerConfig) {
		c.MaxInFlight, c.QueueWait, c.StallTimeout = 2, testTime, testTime
		c.Review = large(unread, &converted)
	})
	for range slow {
		r.ask(t, "large"+strings.Repeat(" ", 2*smallMessage)) // so that its body is charged
	}
	eventually.True(t, "all large answers to be made", func() bool { return converted.Load() == slow })
	for i := range 50 {
		if resp, text := r.post(t, "/convert"); resp.StatusCode != 200 || text != `{"converted":true}` {
			t.Fatalf("small review %d: %d %s", i, resp.StatusCode, text)
		}
	}
	eventually.True(t, "the slots and the bodies to come back", func() bool {
		slots, _ := r.slots.Load()
		bodies, _ := r.bodies.budget.Load()
		return slots == 0 && bodies == 0
	})
	if held, _ := r.answers.Load(); held < slow*unread {
		t.Errorf("%d bytes of answers are held, want %d: the slow clients are gone, and the test has shown nothing", held, slow*unread)
	}
}

// TestUnreadAnswersAreBounded: answers that clients do not read have a budget. When it is spent,
// large reviews are rejected for retry before they are converted, and large answers to small
// reviews after; small reviews are answered.
func TestUnreadAnswersAreBounded(t *testing.T) {
	var converted atomic.Int64
	r := start(t, func(c *ServerConfig) {
		c.QueueWait, c.StallTimeout, c.MaxAnswerBytesInFlight = time.Millisecond, testTime, unread
		c.Review = large(unread, &converted)
	})
	first := r.ask(t, "large")
	eventually.True(t, "the answer to be held", func() bool { held, _ := r.answers.Load(); return held == unread })
	for _, test := range []struct {
		name, body string
		code       int
		text       string
		converted  int64 // large answers so far
	}{
		{"a large review", "large" + strings.Repeat(" ", 2*smallMessage), 429, "too many answers at once: waited too long in the queue\n", 1},
		{"a large answer", "large", 429, "too many answers at once: clients do not read the answers of other reviews\n", 2},
		{"a small review", goodReview, 200, `{"converted":true}`, 2},
	} {
		resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader(test.body)))
		if resp.StatusCode != test.code || text != test.text || (resp.Header.Get("Retry-After") == "1") != (test.code == 429) || converted.Load() != test.converted {
			t.Errorf("%s: %d %s, Retry-After %q, %d large ones converted", test.name, resp.StatusCode, text, resp.Header.Get("Retry-After"), converted.Load())
		}
	}
	first.Close()
	eventually.True(t, "the budget to come back", func() bool { held, _ := r.answers.Load(); return held == 0 })
	resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader("large")))
	if resp.StatusCode != 200 || len(text) != unread {
		t.Errorf("afterwards: %d and %d bytes", resp.StatusCode, len(text))
	}
	resp, text = r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader(goodReview+strings.Repeat(" ", 2*smallMessage))))
	if resp.StatusCode != 200 || text != `{"converted":true}` {
		t.Errorf("a small answer to a large review: %d %s", resp.StatusCode, text)
	}
	eventually.True(t, "all of the budget to come back", func() bool { held, _ := r.answers.Load(); return held == 0 && r.requests.Load() == 0 })
}

// TestAnswersLargerThanTheirBudget: one answer may be larger than the budget, and has it to itself.
func TestAnswersLargerThanTheirBudget(t *testing.T) {
	var converted atomic.Int64
	r := start(t, func(c *ServerConfig) {
		c.MaxAnswerBytesInFlight = 64 << 10
		c.Review = large(1<<20, &converted)
	})
	for _, body := range []string{"large", "large" + strings.Repeat(" ", 128<<10)} {
		resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader(body)))
		if resp.StatusCode != 200 || len(text) != 1<<20 {
			t.Errorf("%d and %d bytes", resp.StatusCode, len(text))
		}
	}
	eventually.True(t, "the budget to come back", func() bool { held, _ := r.answers.Load(); return held == 0 })
}

// TestStalledTransfersEnd: a client that stops reading, or stops sending, loses its connection and
// its resources. The total times are long.
func TestStalledTransfersEnd(t *testing.T) {
	t.Parallel() // it mostly waits
	var converted atomic.Int64
	r := start(t, func(c *ServerConfig) {
		c.StallTimeout = 200 * time.Millisecond
		c.Review = large(unread, &converted)
	})
	r.ask(t, "large")
	eventually.True(t, "the answer to be made", func() bool { return converted.Load() == 1 })
	eventually.True(t, "the answer to be given up", func() bool { held, _ := r.answers.Load(); return held == 0 && r.requests.Load() == 0 })

	conn := r.dial(t, true)
	defer conn.Close()
	_, _ = fmt.Fprintf(conn, "POST /convert HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", 1<<20, strings.Repeat(" ", 64<<10))
	got, _ := io.ReadAll(conn) // returns when the server closes
	want := fmt.Sprintf("the body arrives too slowly: all of it may take %v, and each MiB 200ms\n", testTime)
	if !strings.HasPrefix(string(got), "HTTP/1.1 400 ") || !strings.HasSuffix(string(got), want) {
		t.Errorf("got %q, want 400 and %s", got, want)
	}
	eventually.True(t, "the body to be forgotten", func() bool { held, _ := r.bodies.budget.Load(); return held == 0 })
}

// TestPaceOfBodies: each MiB of a body has its time, and none has more than the whole.
func TestPaceOfBodies(t *testing.T) {
	var deadlines []time.Time
	began := time.Now()
	w := &deadlineWriter{set: func(at time.Time) { deadlines = append(deadlines, at) }}
	p := &pacedBody{body: zeros{}, control: http.NewResponseController(w), stall: time.Hour, end: began.Add(time.Hour + time.Minute)}
	read := 0
	for read < 3*paceBytes {
		n, err := p.Read(make([]byte, 300_000))
		if err != nil {
			t.Fatal(err)
		}
		read += n
	}
	if len(deadlines) != 3 {
		t.Fatalf("%d deadlines for 3 MiB", len(deadlines))
	}
	for i, d := range deadlines {
		if d.Before(began.Add(time.Hour)) || d.After(p.end) || i > 0 && d.Before(deadlines[i-1]) {
			t.Errorf("deadline %d is %v after the beginning", i, d.Sub(began))
		}
	}
	p.end = began
	p.left = 0
	_, _ = p.Read(make([]byte, 1))
	if last := deadlines[len(deadlines)-1]; !last.Equal(began) {
		t.Errorf("the last deadline is %v behind the end", last.Sub(began))
	}
}

// deadlineWriter notes the read deadlines that are set.
type deadlineWriter struct {
	http.ResponseWriter
	set func(time.Time)
}

func (w *deadlineWriter) SetReadDeadline(at time.Time) error { w.set(at); return nil }

// TestSlowConversionKeepsItsContext: the deadlines for a body do not end its conversion, which
// net/http would cancel.
func TestSlowConversionKeepsItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const stall = 500 * time.Millisecond
		r := startInBubble(t, func(c *ServerConfig) {
			c.StallTimeout, c.ReadTimeout = stall, stall
			c.Review = func(ctx context.Context, _ []byte) ([]byte, host.Outcome, error) {
				time.Sleep(2 * stall) // the deadlines pass
				if ctx.Err() != nil {
					return []byte(ctx.Err().Error()), host.Outcome{}, nil
				}
				return []byte("fine"), host.Outcome{}, nil
			}
		})
		resp, text, err := r.try(r.request(t, http.MethodPost, "/convert", strings.NewReader(goodReview+strings.Repeat(" ", 100<<10))))
		if err != nil || resp.StatusCode != 200 || text != "fine" {
			t.Errorf("the conversion was cancelled: %s, %v", text, err)
		}
	})
}
