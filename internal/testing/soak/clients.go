package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// client is one hostile use of a connection. It ends when the gateway closes the connection.
type client struct {
	name   string
	count  int // connections at a time
	use    func(ctx context.Context, g *gateway, c net.Conn)
	attack string
}

// clients are the hostile clients. All of them together use more connections than the gateway has.
var clients = []client{
	{"do not read their responses", 8, func(ctx context.Context, g *gateway, c net.Conn) {
		pad := `,"spec":{"pad":"` + strings.Repeat("x", 2<<20) + `"}`
		g.post(c, review("hostile.example.com", echo, "v1", "v2", pad, pad, pad), -1)
		wait(ctx, c)
	}, connections},
	{"send a byte a second of a body", 8, func(ctx context.Context, g *gateway, c net.Conn) {
		g.post(c, "{", 4<<20)
		trickle(ctx, c)
	}, connections},
	{"send a byte a second of a header", 8, func(ctx context.Context, _ *gateway, c net.Conn) {
		_, _ = io.WriteString(c, "POST /convert HTTP/1.1\r\nHost: a\r\nX-A: ")
		trickle(ctx, c)
	}, connections},
	{"are idle", 200, func(ctx context.Context, _ *gateway, c net.Conn) { wait(ctx, c) }, connections},
	{"send large headers", 1, func(_ context.Context, _ *gateway, c net.Conn) {
		_, _ = io.WriteString(c, "POST /convert HTTP/1.1\r\nHost: a\r\nX-A: "+strings.Repeat("x", 1<<20)+"\r\n\r\n")
		_, _ = io.Copy(io.Discard, c)
	}, connections},
	{"send 50 requests at once", 2, func(_ context.Context, g *gateway, c net.Conn) {
		go func() { // ends when the connection is closed
			for range 50 {
				g.post(c, review("hostile.example.com", bomb, "v1", "v2", `,"spec":{}`), -1)
			}
		}()
		_, _ = io.CopyN(io.Discard, c, 10_000)
	}, connections},
	{"stop in a body", 800, func(ctx context.Context, g *gateway, c net.Conn) {
		g.post(c, "{", 1<<20)
		wait(ctx, c)
	}, connections},
	{"send requests to the admin port and do not read", 110, func(_ context.Context, _ *gateway, c net.Conn) {
		for {
			if _, err := io.WriteString(c, strings.Repeat("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", 100)); err != nil {
				return
			}
		}
	}, probes},
	{"read a page of the admin port", 100, func(_ context.Context, _ *gateway, c net.Conn) {
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		_, _ = io.Copy(io.Discard, c)
	}, pages},
}

// attack has hostile clients use connections until ctx ends. The function that it returns waits for
// them and says how often each class has used one.
func (g *gateway) attack(ctx context.Context, a attacks) (wait func()) {
	var wg sync.WaitGroup
	uses := make([]atomic.Int64, len(clients))
	for i, class := range clients {
		from := a.of(class.attack)
		if !from.on {
			continue
		}
		for range class.count {
			wg.Go(func() { // ends with ctx
				for ctx.Err() == nil {
					if c, err := g.dial(ctx, class.attack != connections); err == nil {
						stop := context.AfterFunc(ctx, func() { c.Close() })
						class.use(ctx, g, c)
						stop()
						c.Close()
						uses[i].Add(1)
						from.ran.Add(1)
					}
					select {
					case <-time.After(pause(class.count)):
					case <-ctx.Done():
					}
				}
			})
		}
	}
	for range 8 {
		if !a.of(connections).on {
			break
		}
		wg.Go(func() { // a handshake that never begins; ends with ctx
			for ctx.Err() == nil {
				if c, err := net.Dial("tcp", g.listen); err == nil {
					stop := context.AfterFunc(ctx, func() { c.Close() })
					_, _ = io.Copy(io.Discard, c)
					stop()
					c.Close()
				}
			}
		})
	}
	return func() {
		wg.Wait()
		for i, class := range clients {
			if a.of(class.attack).on {
				fmt.Printf("%8d × clients that %s\n", uses[i].Load(), class.name)
			}
		}
	}
}

// pause returns the time until one of many clients connects again: the handshakes of all of them
// must not be the attack.
func pause(clients int) time.Duration {
	return max(100*time.Millisecond, time.Duration(clients)*5*time.Millisecond)
}

// dial connects to the port for reviews or to the admin port, from one of twenty addresses. The honest
// clients have another one: clients behind one address share its handshakes and new connections.
func (g *gateway) dial(ctx context.Context, admin bool) (net.Conn, error) {
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+rand.N(20)))}}
	if admin {
		return d.DialContext(ctx, "tcp", strings.TrimPrefix(g.admin, "http://"))
	}
	return (&tls.Dialer{Config: g.tls, NetDialer: d}).DialContext(ctx, "tcp", g.listen)
}

// post writes a request. With a length of zero or more, it declares that of the body instead of the
// body's own.
func (*gateway) post(c net.Conn, body string, length int) {
	if length < 0 {
		length = len(body)
	}
	_, _ = fmt.Fprintf(c, "POST /convert?timeout=30s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", length, body)
}

// trickle sends a byte a second until the connection is closed.
func trickle(ctx context.Context, c net.Conn) {
	for ctx.Err() == nil {
		if _, err := c.Write([]byte{' '}); err != nil {
			return
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// wait reads a byte a second until ctx ends, at most for the longest time that the gateway keeps an
// idle connection, so that it notices the end. A closed connection may report a timeout for ever.
func wait(ctx context.Context, c net.Conn) {
	var b [1]byte
	for end := time.Now().Add(130 * time.Second); ctx.Err() == nil && time.Now().Before(end); {
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := c.Read(b[:]); err != nil && !isTimeout(err) {
			return
		}
		time.Sleep(time.Second)
	}
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}
