package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
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
)

// countingListener counts the writes to its connections.
type countingListener struct {
	net.Listener
	writes atomic.Int64
}

type countingConn struct {
	net.Conn
	writes *atomic.Int64
}

func (l *countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countingConn{conn, &l.writes}, nil
}

func (c countingConn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(b)
}

// TestAnswerIsSentAtOnce: an answer that a connection pays for takes one write, whatever its size.
func TestAnswerIsSentAtOnce(t *testing.T) {
	var answer []byte
	var cfg ServerConfig
	r := start(t, func(c *ServerConfig) {
		c.Review = func(context.Context, []byte) ([]byte, host.Outcome, error) {
			return answer, host.Outcome{}, nil
		}
		cfg = *c
	})
	server, err := NewServer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	counted := &countingListener{Listener: listen(t)}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx, counted, nil) }()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: r.roots}}
	defer func() {
		transport.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	client := &http.Client{Transport: transport, Timeout: testTime}
	for _, size := range []int{10, 10, 2000, 4000, 4096, 5000, smallMessage} {
		answer = bytes.Repeat([]byte("a"), size)
		before := counted.writes.Load()
		resp, err := client.Post(fmt.Sprintf("https://%s/convert", counted.Addr()), "application/json", strings.NewReader(goodReview))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !bytes.Equal(got, answer) {
			t.Fatalf("%d bytes: got %d, %v", size, len(got), err)
		}
		if n := counted.writes.Load() - before; n != 1 && before > 0 { // the first has the handshake's
			t.Errorf("%d bytes took %d writes", size, n)
		}
	}
}

// slowConn records what is written to it, and takes a while for each part.
type slowConn struct {
	net.Conn
	mu     sync.Mutex
	parts  []string
	begun  chan struct{}
	err    error
	closed bool
}

func (c *slowConn) Write(b []byte) (int, error) {
	part := string(b)
	if c.begun != nil && part == "gathered" {
		close(c.begun)
		time.Sleep(50 * time.Millisecond) // time for another write to overtake it
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parts = append(c.parts, part)
	return len(b), c.err
}

func (c *slowConn) Close() error { c.closed = true; return nil }

// TestOutboxKeepsOrder: TLS writes for its own sake at any time. What it writes while an answer is
// being sent comes after the answer.
func TestOutboxKeepsOrder(t *testing.T) {
	below := &slowConn{begun: make(chan struct{})}
	c := &connection{Conn: below, home: limitConnections(nil, 1, func(string) {})}
	c.gather()
	for _, part := range []string{"gath", "ered"} {
		if n, err := c.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	var other sync.WaitGroup
	other.Go(func() {
		<-below.begun
		_, _ = c.Write([]byte("other"))
	})
	c.sendGathered()
	other.Wait()
	if got := strings.Join(below.parts, " "); got != "gathered other" {
		t.Errorf("written: %s", got)
	}
}

// TestOutboxClosesAfterError: an answer that was not sent whole ends the connection.
func TestOutboxClosesAfterError(t *testing.T) {
	below := &slowConn{err: errors.New("broken")}
	c := &connection{Conn: below, home: limitConnections(nil, 1, func(string) {})}
	c.gather()
	_, _ = c.Write([]byte("part"))
	c.sendGathered()
	if !below.closed {
		t.Error("the connection stays open")
	}
	c.gather()
	c.sendGathered()
	if len(below.parts) != 1 {
		t.Errorf("written: %q", below.parts)
	}
}
