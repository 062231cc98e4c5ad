package serve

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"fmt"
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

	"github.com/crosswalk-gateway/crosswalk/host"
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
			c.begin(home.handshakes, netip.MustParsePrefix(client), 1)
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
		c.begin(home.handshakes, netip.Prefix{}, 1)
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

// TestClientsOfOneNetworkShareItsTurnH29: among many clients, those of one /24 or /48 have one turn for
// their handshakes; among few, each has its own.
func TestClientsOfOneNetworkShareItsTurnH29(t *testing.T) {
	for _, test := range []struct {
		client  string
		clients int
		want    string
	}{
		{"192.0.2.7/32", manyClients, "192.0.2.7/32"},
		{"192.0.2.7/32", manyClients + 1, "192.0.2.0/24"},
		{"2001:db8:1:2::/64", manyClients, "2001:db8:1:2::/64"},
		{"2001:db8:1:2::/64", manyClients + 1, "2001:db8:1::/48"},
	} {
		var h handshake
		if h.begin(nil, netip.MustParsePrefix(test.client), test.clients); h.claim.Account != test.want {
			t.Errorf("%s of %d clients has the account %s, want %s", test.client, test.clients, h.claim.Account, test.want)
		}
	}
	var none handshake
	if none.begin(nil, netip.Prefix{}, manyClients+1); none.claim.Account != (netip.Prefix{}).String() {
		t.Errorf("a client without an address has the account %s", none.claim.Account)
	}
	listener := listen(t)
	defer listener.Close()
	home := limitConnections(listener, 1000, nil)
	for i := range manyClients + 1 {
		conn := from{ip: fmt.Sprintf("192.0.2.%d", i)}
		home.admit(&connection{Conn: conn, home: home, address: addressOf(conn)})
	}
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := home.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := connectionOf(conn).claim.Account; got != "127.0.0.0/24" {
		t.Errorf("a connection beside %d clients has the account %s", manyClients+1, got)
	}
}

// TestOnlyConversionsProveH23: a review that no module converted, whatever its answer, does not make its
// connection one of those that stay.
func TestOnlyConversionsProveH23(t *testing.T) {
	for _, test := range []struct {
		name    string
		outcome host.Outcome
		want    bool
	}{
		{"converted", host.Outcome{Kind: "Widget", Group: "example.com", From: "v1", To: "v2", Objects: 1}, true},
		{"an unknown kind", host.Outcome{Failure: host.FailureNoRoute, Objects: 1}, false},
		{"refused", host.Outcome{Kind: "Widget", Group: "example.com", From: "v1", To: "v2", Failure: host.FailureRefused}, false},
		{"objects that are in their version", host.Outcome{Kind: "Widget", Group: "example.com", To: "v2", Objects: 1}, false},
		{"no objects", host.Outcome{}, false},
	} {
		var c connection
		if c.prove(&test.outcome); c.proven.Load() != test.want {
			t.Errorf("%s: the connection is proven: %v", test.name, !test.want)
		}
	}
}
