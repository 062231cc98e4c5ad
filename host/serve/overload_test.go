package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// Four times as many reviews as can be converted: each is converted or rejected in the way that API
// servers repeat, and none meets a broken connection, which they do not repeat.
func TestOverload(t *testing.T) {
	const slots, each = 2, 10 * time.Millisecond
	var inside, most atomic.Int64
	full, fill := context.WithCancel(t.Context()) // ends when the first was rejected, which happens on slow machines too then
	defer fill()
	r := start(t, func(c *ServerConfig) {
		c.MaxInFlight, c.MaxQueue, c.QueueWait = 2*slots, 8, 15*time.Millisecond // of which one account may have half
		c.Review = func(context.Context, []byte) ([]byte, host.Outcome, error) {
			now := inside.Add(1)
			defer inside.Add(-1)
			for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
			}
			<-full.Done()
			time.Sleep(each)
			return []byte(`{"converted":true}`), host.Outcome{}, nil
		}
	})

	var converted, rejected atomic.Int64
	var clients sync.WaitGroup
	began, pace := time.Now(), time.NewTicker(each/slots/4)
	for range 400 {
		<-pace.C
		clients.Go(func() {
			resp, err := r.client.Do(r.request(t, http.MethodPost, "/convert", strings.NewReader(goodReview)))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			switch {
			case err != nil:
				t.Error(err)
			case resp.StatusCode == 200:
				converted.Add(1)
			case resp.StatusCode == 429 && resp.Header.Get("Retry-After") == "1" && !resp.Close && strings.HasPrefix(string(text), "too many reviews at once: "):
				rejected.Add(1)
				fill()
			default:
				t.Errorf("%d %s, Retry-After %q, close %v", resp.StatusCode, text, resp.Header.Get("Retry-After"), resp.Close)
			}
		})
	}
	pace.Stop()
	clients.Wait()
	if converted.Load() == 0 || rejected.Load() == 0 {
		t.Errorf("%d converted and %d rejected: one of them was not tested", converted.Load(), rejected.Load())
	}
	if most.Load() > slots {
		t.Errorf("%d reviews were converted at once, want at most %d", most.Load(), slots)
	}
	if counted := r.rejections(429); int64(counted) != rejected.Load() {
		t.Errorf("%v refusals counted of %d", counted, rejected.Load())
	}
	took := time.Since(began)
	if n := strings.Count(r.log.String(), "request rejected"); n == 0 || n > 2+int(took.Seconds()) {
		t.Errorf("%d lines logged for %d refusals in %v", n, rejected.Load(), took)
	}
	if resp, _ := r.post(t, "/convert"); resp.StatusCode != 200 {
		t.Errorf("after the rush: %d", resp.StatusCode)
	}
}

// Slow clients with bodies of one class can use up half of the memory for bodies, but not more than
// it, not the slots, and not the place of small reviews.
func TestBodiesOverload(t *testing.T) {
	r := start(t, func(c *ServerConfig) {
		c.MaxBodyBytes, c.MaxBodyBytesInFlight = 64<<10, 256<<10
		c.QueueWait = 10 * time.Millisecond
	})
	var slow []net.Conn
	for range 2 { // 64 KiB each
		conn := r.dial(t, true)
		defer conn.Close()
		_, _ = fmt.Fprintf(conn, "POST /convert HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", 64<<10)
		_, _ = conn.Write(make([]byte, minBuffer+1))
		slow = append(slow, conn)
	}
	eventually.True(t, "half of the budget to be spent", func() bool { used, _ := r.bodies.budget.Load(); return used == 128<<10 })
	large := goodReview + strings.Repeat(" ", minBuffer)
	resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader(large)))
	if want := "too many request bodies at once: waited too long in the queue\n"; resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "1" || text != want {
		t.Errorf("got  %d %s\nwant 429 %s", resp.StatusCode, text, want)
	}
	if resp, text := r.post(t, "/convert"); resp.StatusCode != 200 {
		t.Errorf("a small review: %d %s", resp.StatusCode, text)
	}
	for _, conn := range slow {
		conn.Close()
	}
	eventually.True(t, "the budget to come back", func() bool { used, _ := r.bodies.budget.Load(); return used == 0 })
	if resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader(large))); resp.StatusCode != 200 {
		t.Errorf("afterwards: %d %s", resp.StatusCode, text)
	}
}

// The converter sees exactly the bytes of its own request, although buffers are reused.
func TestBodiesArePrivate(t *testing.T) {
	r := start(t, func(c *ServerConfig) {
		c.MaxInFlight, c.MaxQueue, c.QueueWait = 4, 1000, 20*time.Second
		c.Review = func(_ context.Context, body []byte) ([]byte, host.Outcome, error) {
			return bytes.Clone(body), host.Outcome{}, nil
		}
	})
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for i := range 25 {
				want := bytes.Repeat(fmt.Appendf(nil, "%d-%d ", client, i), 1000*(1+i%9))
				resp, err := r.client.Do(r.request(t, http.MethodPost, "/convert", bytes.NewReader(want)))
				if err != nil {
					t.Error(err)
					return
				}
				got, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%d bytes came back for %d, error %v", len(got), len(want), err)
				}
			}
		})
	}
	clients.Wait()
}
