package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// connection is a connection that a connections accepted. It knows how far its request is, so that
// connections can tell clients at work from clients that only hold a place.
type connection struct {
	net.Conn
	home    *connections
	address netip.Prefix
	state   atomic.Int32 // an http.ConnState
	phase   atomic.Int32 // of the request
	proven  atomic.Bool  // a module converted a review of it
	bytes   atomic.Int64 // read or written since the last progress
	since   atomic.Int64 // when it last made progress, in nanoseconds since home.began

	client *client // nil unless it has a place; the fields from here on are guarded by home.mu
	index  int     // in home.open
	rank   rank    // during the choice of the connection to evict

	handshake
	outbox
}

// The phases of a request.
const (
	phaseRequest int32 = iota // it is awaited or read, or it was answered
	phaseReview               // the review is read and not yet answered
	phaseAnswer               // its answer is written
)

// progressBytes are the bytes that count as progress. Together with stalledAfter this is the pace of
// paceBytes within StallTimeout, rounded up.
const progressBytes = paceBytes / 8

// connectionOf returns the connection below one of net/http; nil if no connections accepted it.
func connectionOf(conn net.Conn) *connection {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	c, _ := conn.(*connection)
	return c
}

// connectionKey finds the connection in the context of its requests.
type connectionKey struct{}

// withConnection is the server's ConnContext.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, connectionOf(conn))
}

// connectionIn returns the connection of a request. Without a server, in a benchmark, it is nil, for
// which enter, prove and gather do nothing.
func connectionIn(ctx context.Context) *connection {
	c, _ := ctx.Value(connectionKey{}).(*connection)
	return c
}

// enter notes the begin of a phase, which is progress.
func (c *connection) enter(phase int32) {
	if c != nil {
		c.phase.Store(phase)
		c.progressed()
	}
}

// prove notes that a review was answered, if a module converted it: everybody can send reviews of kinds
// that no module knows.
func (c *connection) prove(o *host.Outcome) {
	if c != nil && o.Failure == "" && o.From != "" {
		c.proven.Store(true)
	}
}

// progressed notes progress.
func (c *connection) progressed() {
	c.bytes.Store(0)
	c.since.Store(int64(time.Since(c.home.began)))
}

// moved counts bytes that were read or written.
func (c *connection) moved(n int) {
	if n > 0 && c.bytes.Add(int64(n)) >= progressBytes {
		c.progressed()
	}
}

// Read reads from the connection.
func (c *connection) Read(b []byte) (int, error) {
	c.rest()
	n, err := c.Conn.Read(b)
	if c.moved(n); n > 0 {
		if waited := c.work(); waited != nil {
			return 0, waited
		}
	}
	return n, err
}

// send writes to the connection. The caller holds c.writing.
func (c *connection) send(b []byte) (int, error) {
	c.rest()
	n, err := c.Conn.Write(b)
	c.moved(n)
	return n, err
}

// Close closes the connection and makes its place free.
func (c *connection) Close() error {
	c.home.mu.Lock()
	c.home.remove(c)
	c.home.mu.Unlock()
	c.rest()
	c.home.signal()
	return c.Conn.Close()
}
