// Package balancer forwards TCP connections like a Service: clients know one address, and each new
// connection goes to the backend of the moment, where it stays until one side closes it.
package balancer

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// Balancer forwards connections. It may be used by many goroutines at once.
type Balancer struct {
	listener net.Listener
	backend  atomic.Pointer[string]
	open     sync.WaitGroup // the accept loop and the connections

	mu    sync.Mutex
	conns map[net.Conn]bool // both ends of every connection; nil once closed
}

// New listens on a free port of 127.0.0.1 and forwards to backend, a host:port. Close it.
func New(backend string) (*Balancer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &Balancer{listener: listener, conns: map[net.Conn]bool{}}
	b.Switch(backend)
	b.open.Add(1)
	go b.accept() // ends when the listener is closed
	return b, nil
}

// Addr is the host:port that clients connect to.
func (b *Balancer) Addr() string { return b.listener.Addr().String() }

// Switch sends connections from now on to another backend. Those that are open stay where they are.
func (b *Balancer) Switch(backend string) { b.backend.Store(&backend) }

// Close closes the listener and every connection.
func (b *Balancer) Close() {
	_ = b.listener.Close()
	b.mu.Lock()
	for c := range b.conns {
		_ = c.Close()
	}
	b.conns = nil
	b.mu.Unlock()
	b.open.Wait()
}

func (b *Balancer) accept() {
	defer b.open.Done()
	for {
		client, err := b.listener.Accept()
		if err != nil {
			return
		}
		b.open.Add(1)
		go b.forward(client) // ends when either side closes its connection
	}
}

func (b *Balancer) forward(client net.Conn) {
	defer b.open.Done()
	server, err := net.Dial("tcp", *b.backend.Load())
	if err != nil {
		_ = client.Close()
		return
	}
	if !b.track(client, server) {
		return
	}
	done := make(chan struct{})
	go func() { // ends when the server closes its side, or the client has closed its own
		defer close(done)
		_, _ = io.Copy(client, server)
		_ = client.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(server, client)
	_ = server.(*net.TCPConn).CloseWrite()
	<-done
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range []net.Conn{client, server} {
		_ = c.Close()
		delete(b.conns, c)
	}
}

// track remembers a connection's ends, or closes them if the balancer is closed.
func (b *Balancer) track(ends ...net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range ends {
		if b.conns == nil {
			_ = c.Close()
			continue
		}
		b.conns[c] = true
	}
	return b.conns != nil
}
