package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/fair"
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

	reading, writes deadline
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
	c.reading.begin(c.Conn.SetReadDeadline)
	n, err := c.Conn.Read(b)
	c.reading.end()
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
	c.writes.begin(c.Conn.SetWriteDeadline)
	n, err := c.Conn.Write(b)
	c.writes.end()
	c.moved(n)
	return n, err
}

// SetReadDeadline sets the deadline for reading.
func (c *connection) SetReadDeadline(t time.Time) error {
	return c.reading.set(t, c.Conn.SetReadDeadline)
}

// SetWriteDeadline sets the deadline for writing.
func (c *connection) SetWriteDeadline(t time.Time) error {
	return c.writes.set(t, c.Conn.SetWriteDeadline)
}

// SetDeadline sets both deadlines.
func (c *connection) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// deadline is a deadline for reading or writing. A connection gets it only when a call is about to wait
// for the other side, or waits already: net/http sets and clears four for each request, each with a
// timer, and a request that has arrived as a whole waits under none of them.
type deadline struct {
	mu    sync.Mutex
	next  time.Time // of the next call
	has   time.Time // of the connection
	calls int       // that may wait
}

func (d *deadline) set(t time.Time, apply func(time.Time) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = t
	if d.calls == 0 {
		return nil
	}
	d.has = t
	return apply(t)
}

// begin begins a call. An error is the connection's, and so the call has it, too.
func (d *deadline) begin(apply func(time.Time) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if d.has != d.next {
		d.has = d.next
		_ = apply(d.next)
	}
}

func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls--
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

// handshake is a connection until its first request. Each time that bytes of it have arrived, the
// processor works on them until the next read or write: it needs a unit of the semaphore meanwhile. So a
// client that opens connections as fast as it can delays reviews, and handshakes of others, by a few
// computations, not by those of all its connections. The zero value does nothing. Only rest is safe
// for concurrent use.
type handshake struct {
	shared *fair.Semaphore // nil without TLS
	claim  fair.Claim
	works  atomic.Bool // it has its unit
	over   bool        // the first request has come; of the goroutine that reads
}

// newHandshakes returns the semaphore for the handshakes of so many connections. One client can
// have half of its units, and more handshakes in the queue than connections.
func newHandshakes(connections int, wait time.Duration) *fair.Semaphore {
	return fair.NewSemaphore(fair.Config{Limit: int64(max(2, runtime.GOMAXPROCS(0))), MaxWaiting: 2*connections + 2, Wait: wait})
}

// begin begins the handshake of one of so many clients.
func (h *handshake) begin(shared *fair.Semaphore, client netip.Prefix, clients int) {
	h.shared, h.claim = shared, fair.Claim{Units: 1, Account: network(client, clients).String()}
}

// manyClients is more than API servers and probes are. Beyond it, the clients of one network share its
// turn: else somebody with a thousand addresses has a thousand turns before that of an API server.
const manyClients = 64

// network returns a client, or its /24 or /48 if there are many clients.
func network(client netip.Prefix, clients int) netip.Prefix {
	bits := 24
	if client.Addr().Is6() {
		bits = 48
	}
	if clients <= manyClients || client.Bits() < bits {
		return client
	}
	wide, _ := client.Addr().Prefix(bits)
	return wide
}

// work waits for the unit.
func (h *handshake) work() error {
	if h.shared == nil || h.over {
		return nil
	}
	if err := h.shared.Acquire(context.Background(), h.claim); err != nil {
		return fmt.Errorf("waiting for the handshakes of other connections: %w", err)
	}
	h.works.Store(true)
	return nil
}

// rest gives the unit back, if there is one.
func (h *handshake) rest() {
	if h.works.Swap(false) {
		h.shared.Release(h.claim)
	}
}

// end ends the handshake.
func (h *handshake) end() {
	if !h.over {
		h.over = true
		h.rest()
	}
}

// outbox gathers the parts of an answer, so that one system call sends it. net/http writes through
// a buffer of 4 KiB, and TLS makes a record of each part: the answer to a review of one common
// object would take two system calls, and wake its client twice. It is safe for concurrent use.
type outbox struct {
	writing   sync.Mutex // is held while writing below, because the order of TLS records counts
	gathering bool
	parts     *[]byte // written since gather; nil unless gathering
}

// outboxBuffers has buffers for gathered answers, with room for headers and for what TLS adds. A
// buffer belongs to a connection only while an answer is gathered and sent.
var outboxBuffers = sync.Pool{New: func() any { b := make([]byte, 0, smallMessage+2<<10); return &b }}

// gather keeps what is written from now on. sendGathered must follow.
func (c *connection) gather() {
	if c == nil {
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.gathering, c.parts = true, outboxBuffers.Get().(*[]byte)
}

// sendGathered sends what was written since gather.
func (c *connection) sendGathered() {
	c.writing.Lock()
	defer c.writing.Unlock()
	parts := c.parts
	c.gathering, c.parts = false, nil
	if len(*parts) > 0 {
		if _, err := c.send(*parts); err != nil {
			_ = c.Close() // a part is missing, so nothing may follow
		}
	}
	*parts = (*parts)[:0]
	outboxBuffers.Put(parts)
}

// Write writes to the connection, or keeps the bytes while they are gathered.
func (c *connection) Write(b []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.gathering {
		*c.parts = append(*c.parts, b...)
		return len(b), nil
	}
	return c.send(b)
}
