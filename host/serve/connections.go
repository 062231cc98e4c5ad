package serve

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// connections is a listener that bounds how many connections are open at a time. When one more
// comes, the connection goes that has waited for its first request for the longest time, else the
// one that is idle for the longest time. While requests are under way on all of them, the new
// connection waits.
type connections struct {
	net.Listener
	most    int
	evicted func()        // is called for each connection that had to go; must not wait
	wake    chan struct{} // holds one element after a connection became idle or was closed
	closed  chan struct{} // closed with the listener
	once    sync.Once     // closes it

	mu   sync.Mutex
	open map[*connection]bool
}

// connection is one that a connections accepted.
type connection struct {
	net.Conn
	home  *connections
	state atomic.Int32 // an http.ConnState
	since atomic.Int64 // Unix nanoseconds
	outbox
}

func limitConnections(l net.Listener, most int, evicted func()) *connections {
	return &connections{Listener: l, most: most, evicted: evicted, wake: make(chan struct{}, 1), closed: make(chan struct{}), open: map[*connection]bool{}}
}

// Accept returns the next connection once there is a place for it.
func (l *connections) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: conn, home: l}
	c.since.Store(time.Now().UnixNano())
	for !l.admit(c) {
		select {
		case <-l.wake:
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

// admit notes a new connection if there is a place for it, or one can be made.
func (l *connections) admit(c *connection) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) >= l.most {
		victim := l.oldest(http.StateNew)
		if victim == nil {
			victim = l.oldest(http.StateIdle)
		}
		if victim == nil {
			return false
		}
		delete(l.open, victim)
		victim.Conn.Close() // its goroutine sees that, and ends
		l.evicted()
	}
	l.open[c] = true
	return true
}

// oldest returns the connection that has been in a state for the longest time; nil if there is
// none. The caller holds l.mu.
func (l *connections) oldest(state http.ConnState) (found *connection) {
	for c := range l.open {
		if c.state.Load() == int32(state) && (found == nil || c.since.Load() < found.since.Load()) {
			found = c
		}
	}
	return found
}

// changed is the server's ConnState.
func (l *connections) changed(conn net.Conn, state http.ConnState) {
	if c := connectionOf(conn); c != nil {
		c.since.Store(time.Now().UnixNano())
		c.state.Store(int32(state))
		if state == http.StateIdle {
			l.signal()
		}
	}
}

// connectionOf returns the connection below one of net/http; nil if no connections accepted it.
func connectionOf(conn net.Conn) *connection {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	c, _ := conn.(*connection)
	return c
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

// Close closes the connection and makes its place free.
func (c *connection) Close() error {
	c.home.mu.Lock()
	delete(c.home.open, c)
	c.home.mu.Unlock()
	c.home.signal()
	return c.Conn.Close()
}
