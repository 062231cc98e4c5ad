package serve

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slowKey is a key whose signatures, of which each handshake needs one, last until end is closed.
type slowKey struct {
	crypto.Signer
	end   chan struct{}
	signs *atomic.Int64 // that are being made
}

func (k slowKey) Sign(random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	k.signs.Add(1)
	defer k.signs.Add(-1)
	<-k.end
	return k.Signer.Sign(random, digest, opts)
}

// TestHandshakesAreSharedH29: while a hundred handshakes of one client, which never end, have begun, one
// of them occupies a processor, and the handshake of another client is computed at once.
func TestHandshakesAreSharedH29(t *testing.T) {
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	key, der, err := issue(template, template, nil)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		slow := slowKey{key, make(chan struct{}), new(atomic.Int64)}
		config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: slow}}}
		home := limitConnections(nil, 1000, nil)
		home.handshakes = newHandshakes(1000, time.Hour)
		units := home.handshakes.Limit()
		var running sync.WaitGroup
		var done atomic.Int64
		connect := func(client string) {
			near, far := net.Pipe()
			c := &connection{Conn: far, home: home}
			c.begin(home.handshakes, netip.MustParsePrefix(client))
			running.Go(func() { // ends with the handshake
				defer c.Close()
				if tls.Server(c, config).Handshake() == nil {
					done.Add(1)
				}
			})
			running.Go(func() {
				defer near.Close()
				_ = tls.Client(near, &tls.Config{InsecureSkipVerify: true}).Handshake()
				_, _ = io.Copy(io.Discard, near)
			})
		}
		for range 100 {
			connect("10.0.0.1/32")
		}
		synctest.Wait()
		if n := slow.signs.Load(); n != units/2 {
			t.Errorf("%d handshakes of one client are computed, want half of %d", n, units)
		}
		connect("10.0.0.2/32")
		synctest.Wait()
		if n := slow.signs.Load(); n != units/2+1 {
			t.Errorf("%d handshakes are computed, want that of another client beside %d", n, units/2)
		}
		close(slow.end)
		running.Wait()
		if n := done.Load(); n != 101 {
			t.Errorf("%d of 101 handshakes succeeded", n)
		}
		if used, waiting := home.handshakes.Load(); used != 0 || waiting != 0 {
			t.Errorf("%d units are in use and %d handshakes wait in the end", used, waiting)
		}
	})
}

// TestHandshakeEnds: from the first request on, a connection needs no unit, and it gives its unit back
// when it is closed.
func TestHandshakeEnds(t *testing.T) {
	home := limitConnections(nil, 10, nil)
	home.handshakes = newHandshakes(10, time.Hour)
	for _, end := range []func(c *connection){
		func(c *connection) { home.changed(c, http.StateActive) },
		func(c *connection) { _ = c.Close() },
	} {
		near, far := net.Pipe()
		c := &connection{Conn: far, home: home}
		c.begin(home.handshakes, netip.Prefix{})
		go func() { _, _ = near.Write([]byte("ab")) }() // ends with the second read, or with near
		var b [1]byte
		if _, err := c.Read(b[:]); err != nil {
			t.Fatal(err)
		}
		if used, _ := home.handshakes.Load(); used != 1 {
			t.Errorf("%d units are in use after a read of the handshake", used)
		}
		end(c)
		if used, _ := home.handshakes.Load(); used != 0 {
			t.Errorf("%d units are in use after its end", used)
		}
		_, _ = c.Read(b[:])
		if used, _ := home.handshakes.Load(); used != 0 {
			t.Errorf("%d units are in use after a read of a request", used)
		}
		near.Close()
	}
}
