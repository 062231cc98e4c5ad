package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// exchangeOver sends a small review over a connection and returns the answer's status, or the
// error.
func exchangeOver(conn net.Conn, in *bufio.Reader) string {
	if _, err := io.WriteString(conn, "POST /convert HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
		return err.Error()
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return err.Error()
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.Status
}

// in says how many connections of the server are in a state.
func (l *connections) in(state http.ConnState) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.open {
		if c.state.Load() == int32(state) {
			n++
		}
	}
	return n
}

// TestConnectionsAreBounded: when there are too many, those go that were never used, the oldest
// first, and then the one that is idle for the longest time; those at work stay.
func TestConnectionsAreBounded(t *testing.T) {
	const most = 3
	release := make(chan struct{})
	r := start(t, func(c *ServerConfig) {
		c.MaxConnections = most
		c.Review = hanging(release)
	})
	l := func() *connections { return r.limited.Load() }
	eventually.True(t, "the server to listen", func() bool { return l() != nil })

	working := r.dial(t, true)
	defer working.Close()
	body := goodReview + "hang"
	_, _ = io.WriteString(working, "POST /convert HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "+codeLabel(len(body))+"\r\n\r\n"+body)
	eventually.True(t, "a request to be under way", func() bool { used, _ := r.slots.Load(); return used == 1 })

	var idle [2]net.Conn
	var answers [2]*bufio.Reader
	for i := range idle {
		idle[i] = r.dial(t, true)
		defer idle[i].Close()
		answers[i] = bufio.NewReader(idle[i])
		if got := exchangeOver(idle[i], answers[i]); got != "200 OK" {
			t.Fatal(got)
		}
		eventually.True(t, "the connection to be idle", func() bool { return l().in(http.StateIdle) == i+1 })
	}

	// One more: the idle connection that was used first goes.
	unused := r.dial(t, true)
	defer unused.Close()
	if _, err := answers[0].ReadByte(); err == nil {
		t.Error("the connection that was idle for the longest time is open")
	}
	eventually.True(t, "the newest to be known", func() bool { return l().in(http.StateNew) == 1 })

	// And one more: the connection without a request goes, before one that had some.
	newest := r.dial(t, true)
	defer newest.Close()
	if _, err := unused.Read(make([]byte, 1)); err == nil {
		t.Error("the connection without a request is open")
	}
	if got := exchangeOver(idle[1], answers[1]); got != "200 OK" {
		t.Errorf("a connection that was idle for a shorter time: %s", got)
	}
	close(release)
	if resp, err := http.ReadResponse(bufio.NewReader(working), nil); err != nil || resp.StatusCode != 200 {
		t.Errorf("the request under way: %v", err)
	}
	if n := l().count(); n > most {
		t.Errorf("%d connections are open, want %d at most", n, most)
	}
	if !strings.Contains(r.log.String(), "too many connections; closing stalled, unused and idle ones") {
		t.Errorf("the log does not say it: %s", r.log)
	}
}

// TestConnectionsWaitForWork: a connection that comes while requests are under way on all waits for
// the first to end.
func TestConnectionsWaitForWork(t *testing.T) {
	for _, closes := range []bool{false, true} {
		t.Run(fmt.Sprintf("it is closed then: %v", closes), func(t *testing.T) { waitForWork(t, closes) })
	}
}

func waitForWork(t *testing.T, closes bool) {
	release := make(chan struct{})
	r := start(t, func(c *ServerConfig) {
		c.MaxConnections = 1
		c.Review = hanging(release)
	})
	conn := r.dial(t, true)
	defer conn.Close()
	header := ""
	if closes { // it is never idle then
		header = "Connection: close\r\n"
	}
	body := goodReview + "hang"
	_, _ = fmt.Fprintf(conn, "POST /convert HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", header, len(body), body)
	eventually.True(t, "a request to be under way", func() bool { used, _ := r.slots.Load(); return used == 1 })
	answered := make(chan int, 1)
	go func() { // ends when it is answered
		resp, _ := r.post(t, "/convert")
		answered <- resp.StatusCode
	}()
	select {
	case code := <-answered:
		t.Fatalf("answered with %d beside the one connection that may be open", code)
	case <-time.After(200 * time.Millisecond): // how long does not matter
	}
	close(release)
	if code := <-answered; code != 200 {
		t.Errorf("answered with %d", code)
	}
}

// TestConnectionsWaitingEndWithTheServer: a connection that waits for its place does not hold up
// the end.
func TestConnectionsWaitingEndWithTheServer(t *testing.T) {
	inner := &counting{Listener: listen(t)}
	l := limitConnections(inner, 1, func(string) { t.Error("a connection at work had to go") })
	accepted := make(chan error)
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err == nil {
				connectionOf(c).enter(phaseReview)
			}
			accepted <- err
			if err != nil {
				return
			}
		}
	}()
	for range 2 {
		conn, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	if err := <-accepted; err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the second to come", func() bool { return inner.n.Load() == 2 })
	l.Close()
	if err := <-accepted; err == nil {
		t.Error("a second connection was accepted")
	}
}

// counting counts the connections that it accepted.
type counting struct {
	net.Listener
	n atomic.Int64
}

func (c *counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.n.Add(1)
	}
	return conn, err
}

// TestStalledBodiesEvictNoUsefulConnection: clients that stop in the body of a request are evicted
// for each other, and not the connection that had an answer and is idle.
func TestStalledBodiesEvictNoUsefulConnection(t *testing.T) {
	const most = 10
	r := start(t, func(c *ServerConfig) { c.MaxConnections = most })
	eventually.True(t, "the server to listen", func() bool { return r.limited.Load() != nil })
	l := r.limited.Load()
	useful := r.dial(t, true)
	defer useful.Close()
	answers := bufio.NewReader(useful)
	if got := exchangeOver(useful, answers); got != "200 OK" {
		t.Fatal(got)
	}
	for i := range 3 * most {
		conn := r.dial(t, true)
		defer conn.Close()
		_, _ = io.WriteString(conn, "POST /convert HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
		eventually.True(t, "the request to be read", func() bool { return l.in(http.StateActive) >= min(i+1, most-1) })
	}
	if got := exchangeOver(useful, answers); got != "200 OK" {
		t.Errorf("the useful connection: %s", got)
	}
}

// TestIdleConnectionGivesItsPlaceAtOnce: a connection that waits for its place gets it as soon as
// another is idle, and not only when that one may have stalled.
func TestIdleConnectionGivesItsPlaceAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		release := make(chan struct{})
		r := startInBubble(t, func(c *ServerConfig) {
			c.MaxConnections = 1
			c.Review = hanging(release)
		})
		answered := make(chan int, 2)
		post := func(client *http.Client, body string) {
			resp, err := client.Do(r.request(t, http.MethodPost, "/convert", strings.NewReader(body)))
			if err != nil {
				t.Error(err)
				answered <- 0
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			answered <- resp.StatusCode
		}
		go post(r.client, goodReview+"hang") // ends with its answer
		synctest.Wait()
		other := r.client.Transport.(*http.Transport).Clone()
		defer other.CloseIdleConnections()
		go post(&http.Client{Transport: other}, goodReview) // likewise
		time.Sleep(stalledAfter / 10)
		released := time.Now()
		close(release)
		for range 2 {
			if code := <-answered; code != 200 {
				t.Errorf("answered with %d", code)
			}
		}
		if took := time.Since(released); took > stalledAfter/10 {
			t.Errorf("the second connection had to wait for %v", took)
		}
	})
}
