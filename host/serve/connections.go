package serve

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/fair"
)

// connections is a listener that bounds how many connections are open at a time. When one more
// comes, another one is evicted (see evict.go). While none may be evicted, the new one waits.
type connections struct {
	net.Listener
	most    int
	evicted func(client string) // is called for each evicted connection, with its client's address; must not wait
	wake    chan struct{}       // holds one element after a connection became idle or was closed
	closed  chan struct{}       // closed with the listener
	once    sync.Once           // closes it
	// handshakes are shared by the clients; nil without TLS.
	handshakes *fair.Semaphore
	began      time.Time // times of connections count from here, so that a clock that is set changes nothing

	mu      sync.Mutex // guards the fields below
	open    []*connection
	clients map[netip.Prefix]*client // those with open connections
}

// client is an address with open connections. All that may matter to the choice of a connection is
// guarded by connections.mu.
type client struct {
	open       int
	candidates int // during the choice of the connection to evict
}

func limitConnections(l net.Listener, most int, evicted func(client string)) *connections {
	return &connections{
		Listener: l, most: most, evicted: evicted, wake: make(chan struct{}, 1), closed: make(chan struct{}), began: time.Now(),
		clients: map[netip.Prefix]*client{},
	}
}

// Accept returns the next connection once there is a place for it.
func (l *connections) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: conn, home: l, address: addressOf(conn)}
	c.begin(l.handshakes, c.address, l.clientCount())
	for !l.admit(c) {
		select {
		case <-l.wake:
		case <-time.After(stalledAfter): // then one of the others may have stalled
		case <-l.closed:
			conn.Close()
			return nil, net.ErrClosed
		}
	}
	return c, nil
}

// Close closes the listener, and no connection.
func (l *connections) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// admit adds a new connection if there is a place for it, or one can be made.
func (l *connections) admit(c *connection) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) >= l.most {
		victim := l.victim()
		if victim == nil {
			return false
		}
		l.remove(victim)
		victim.Conn.Close() // its goroutine sees that, and ends
		l.evicted(victim.address.String())
	}
	c.progressed()
	c.index = len(l.open)
	l.open = append(l.open, c)
	c.client = l.clients[c.address]
	if c.client == nil {
		c.client = &client{}
		l.clients[c.address] = c.client
	}
	c.client.open++
	return true
}

// remove makes the place of a connection free. Removing it twice does nothing. The caller holds
// l.mu.
func (l *connections) remove(c *connection) {
	if c.client == nil {
		return
	}
	if c.client.open--; c.client.open == 0 {
		delete(l.clients, c.address)
	}
	c.client = nil
	last := l.open[len(l.open)-1]
	l.open[c.index], last.index = last, c.index
	l.open[len(l.open)-1] = nil
	l.open = l.open[:len(l.open)-1]
}

// changed is the server's ConnState.
func (l *connections) changed(conn net.Conn, state http.ConnState) {
	if c := connectionOf(conn); c != nil {
		if c.state.Store(int32(state)); state == http.StateActive {
			c.end()
		}
		c.enter(phaseRequest)
		if state == http.StateIdle {
			l.signal()
		}
	}
}

func (l *connections) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *connections) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open)
}

func (l *connections) clientCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.clients)
}

// addressOf returns the address of a client. A client with IPv6 commonly has 2^64 addresses, which
// count as one.
func addressOf(conn net.Conn) netip.Prefix {
	tcp, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	address := tcp.AddrPort().Addr().Unmap()
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	prefix, _ := address.WithZone("").Prefix(bits)
	return prefix
}
