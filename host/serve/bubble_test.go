package serve

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// inBubble runs a test in a synctest bubble, in which time passes when all wait: no time of the
// machine is tested, and an hour takes none.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// startInBubble is start with connections in memory, which a bubble needs.
func startInBubble(t *testing.T, change func(*ServerConfig)) *running {
	t.Helper()
	reviews, admin := newPipes(), newPipes()
	dial := func(ctx context.Context, _, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "admin:") {
			return admin.dial(ctx)
		}
		return reviews.dial(ctx)
	}
	return startOn(t, reviews, admin, "https://localhost", "http://admin", dial, change)
}

// pipes is a listener whose connections are pipes in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return new(net.TCPAddr) }
