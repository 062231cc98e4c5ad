package serve

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// from is a connection from an address.
type from struct {
	net.Conn
	ip string
}

func (f from) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(f.ip)} }
func (f from) Close() error         { return nil }

// crowd is a connections whose clients the test plays.
type crowd struct {
	*connections
	t *testing.T
}

func newCrowd(t *testing.T, most int) crowd {
	return crowd{limitConnections(nil, most, func(string) {}), t}
}

// connect opens a connection, which must get a place at once.
func (cr crowd) connect(ip string) *connection {
	cr.t.Helper()
	conn := from{ip: ip}
	c := &connection{Conn: conn, home: cr.connections, address: addressOf(conn)}
	if !cr.admit(c) {
		cr.t.Fatalf("there is no place for a connection from %s", ip)
	}
	cr.changed(c, http.StateNew)
	return c
}

// stall has a connection begin a request and stop in its body.
func (cr crowd) stall(c *connection) *connection {
	cr.changed(c, http.StateActive)
	return c
}

// review has a connection send a review, which is converted.
func (cr crowd) review(c *connection) *connection {
	cr.changed(c, http.StateActive)
	c.enter(phaseReview)
	return c
}

// answer has a connection get the answer to a review.
func (cr crowd) answer(c *connection) *connection {
	cr.review(c)
	c.prove(&host.Outcome{From: "v1"})
	c.enter(phaseAnswer)
	cr.changed(c, http.StateIdle)
	return c
}

// want fails the test unless all connections are open.
func (cr crowd) want(what string, all ...*connection) {
	cr.t.Helper()
	for i, c := range all {
		if c.client == nil {
			cr.t.Errorf("%s: connection %d of %d was evicted", what, i+1, len(all))
		}
	}
}

// TestEvictionH23: clients that hold places, in any way and from any number of addresses, cannot
// evict the connections of a client whose reviews are answered.
func TestEvictionH23(t *testing.T) {
	const most = 200
	hold := map[string]func(cr crowd, c *connection){
		"send nothing":                     func(cr crowd, c *connection) {},
		"stall in the body":                func(cr crowd, c *connection) { cr.stall(c) },
		"trickle the body":                 func(cr crowd, c *connection) { cr.stall(c).moved(100) },
		"get one answer, then stall":       func(cr crowd, c *connection) { cr.stall(cr.answer(c)) },
		"do not read one answer":           func(cr crowd, c *connection) { cr.review(c).enter(phaseAnswer) },
		"are rejected, then idle":          func(cr crowd, c *connection) { cr.review(c).enter(phaseAnswer); cr.changed(c, http.StateIdle) },
		"get one answer, then are idle":    func(cr crowd, c *connection) { cr.answer(c) },
		"get one answer, then send slowly": func(cr crowd, c *connection) { cr.stall(cr.answer(c)).moved(progressBytes) },
	}
	for name, hold := range hold {
		for _, addresses := range []int{1, 20} {
			t.Run(fmt.Sprintf("%s, from %d", name, addresses), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					cr := newCrowd(t, most)
					idle := []*connection{cr.answer(cr.connect("10.0.0.1")), cr.answer(cr.connect("10.0.0.1")), cr.answer(cr.connect("10.0.0.2"))}
					working := cr.review(cr.connect("10.0.0.1"))
					sending := cr.stall(cr.answer(cr.connect("10.0.0.1")))
					for i := range 5 * most {
						hold(cr, cr.connect(fmt.Sprintf("10.1.0.%d", i%addresses)))
						sending.moved(progressBytes)
						time.Sleep(10 * time.Millisecond)
						if i%most == 0 { // a new connection has the time for its first review
							idle = append(idle, cr.connect("10.0.0.1"))
						} else if i%most == 10 {
							cr.answer(idle[len(idle)-1])
						}
						cr.want(fmt.Sprintf("after %d", i), append(idle, working, sending)...)
						if t.Failed() {
							return
						}
					}
				})
			})
		}
	}
}

// TestHalfMayBeUnproven: new connections go before those whose reviews were answered only when more
// than half of all are new.
func TestHalfMayBeUnproven(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		cr := newCrowd(t, 4)
		proven := []*connection{cr.answer(cr.connect("10.0.0.1")), cr.answer(cr.connect("10.0.0.1"))}
		unproven := []*connection{cr.connect("10.0.0.2"), cr.connect("10.0.0.2")}
		cr.want("half are unproven", append(unproven, cr.connect("10.0.0.3"))...)
		cr.want("one of the idle connections remains", proven[1])
		cr.connect("10.0.0.4")
		cr.want("more than half are unproven", proven[1])
	})
}

// TestEvictionFromManyAddresses: with as many hostile addresses as there are places, a client can
// still open connections and have its reviews answered, and keeps those that it uses.
func TestEvictionFromManyAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 200
		cr := newCrowd(t, most)
		hostile := 0
		flood := func(n int) {
			for range n {
				hostile++
				cr.stall(cr.connect(fmt.Sprintf("10.%d.%d.%d", 1+hostile>>16, hostile>>8&255, hostile&255)))
				time.Sleep(time.Millisecond)
			}
		}
		flood(2 * most)
		first, second := cr.connect("192.0.2.1"), cr.connect("192.0.2.1")
		flood(most / 4)
		cr.want("during their first review", first, second)
		cr.answer(first)
		cr.answer(second)
		flood(5 * most)
		cr.want("idle", first, second)
	})
}

// TestOneClientMayHaveAllPlaces: all connections may belong to one client while nobody else needs
// them; others then get places, up to the same number of connections.
func TestOneClientMayHaveAllPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 200
		cr := newCrowd(t, most)
		var one, others []*connection
		for range most {
			one = append(one, cr.answer(cr.connect("192.0.2.1")))
			time.Sleep(time.Millisecond)
		}
		cr.want("alone", one...)
		for range most / 2 {
			others = append(others, cr.answer(cr.connect("192.0.2.2")))
			time.Sleep(time.Millisecond)
		}
		cr.want("the other's", others...)
		cr.want("the newer ones", one[most/2:]...)
		for range most {
			cr.answer(cr.connect("192.0.2.2"))
			time.Sleep(time.Millisecond)
		}
		cr.want("its half", one[most/2+1:]...) // one place goes from client to client
	})
}

// TestWorkIsNotEvicted: a review that is converted, or whose answer is read, keeps its connection;
// an answer that is not read loses it.
func TestWorkIsNotEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cr := newCrowd(t, 3)
		admits := func() bool {
			conn := from{ip: "192.0.2.9"}
			return cr.admit(&connection{Conn: conn, home: cr.connections, address: addressOf(conn)})
		}
		converted, read, unread := cr.review(cr.connect("192.0.2.1")), cr.review(cr.connect("192.0.2.1")), cr.review(cr.connect("192.0.2.1"))
		read.enter(phaseAnswer)
		unread.enter(phaseAnswer)
		for range 10 {
			time.Sleep(stalledAfter / 2)
			read.moved(progressBytes)
			unread.moved(progressBytes)
			if admits() {
				t.Fatal("a connection at work was evicted")
			}
		}
		for range 100 {
			time.Sleep(stalledAfter / 100)
			read.moved(progressBytes)
			unread.moved(progressBytes / 200)
		}
		if !admits() {
			t.Fatal("a client that does not read its answer keeps its connection")
		}
		cr.want("at work", converted, read)
		if unread.client != nil {
			t.Error("the connection of the unread answer is open")
		}
	})
}

// TestEvictionInvariants: whatever clients do, work is not evicted, the places and the clients add
// up, and a connection is only kept waiting if all others are at work.
func TestEvictionInvariants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 20
		cr := newCrowd(t, most)
		random := rand.New(rand.NewPCG(1, 2))
		var all []*connection
		for range 100_000 {
			var closed *connection
			if len(all) > 0 && random.IntN(3) > 0 {
				c := all[random.IntN(len(all))]
				switch random.IntN(8) {
				case 0:
					cr.stall(c)
				case 1:
					cr.review(c)
				case 2:
					cr.answer(c)
				case 3:
					c.enter(phaseAnswer)
				case 4:
					c.moved(progressBytes)
				case 5:
					time.Sleep(stalledAfter / 4)
				default:
					closed = c
					_ = c.Close()
				}
			} else {
				conn := from{ip: fmt.Sprintf("192.0.2.%d", random.IntN(6))}
				c := &connection{Conn: conn, home: cr.connections, address: addressOf(conn)}
				if cr.admit(c) {
					all = append(all, c)
				} else if len(all) < most {
					t.Fatal("a connection waits while there are places")
				}
			}
			now, kept, clients := time.Since(cr.began), all[:0], map[*client]int{}
			for _, c := range all {
				if c.client != nil {
					kept = append(kept, c)
					clients[c.client]++
				} else if c != closed && c.standing(now, false) == rankAtWork {
					t.Fatal("a connection at work was evicted")
				}
			}
			all = kept
			if len(cr.open) != len(all) || len(all) > most || len(cr.clients) != len(clients) {
				t.Fatalf("%d places are taken by %d connections, and %d clients by %d", len(cr.open), len(all), len(cr.clients), len(clients))
			}
			for c, n := range clients {
				if c.open != n {
					t.Fatalf("a client has %d connections and %d places", n, c.open)
				}
			}
		}
	})
}

// TestAddressOf: the addresses of one host with IPv6 count as one client.
func TestAddressOf(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.1", "192.0.2.1", true},
		{"192.0.2.1", "192.0.2.2", false},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"2001:db8::1", "2001:db8::ffff:1", true},
		{"2001:db8::1", "2001:db8:0:1::1", false},
	} {
		if same := addressOf(from{ip: test.a}) == addressOf(from{ip: test.b}); same != test.same {
			t.Errorf("%s and %s are one client: %v", test.a, test.b, same)
		}
	}
}

// TestStalledGoBeforeIdle: a few stalled requests are evicted before idle connections, and idle
// connections of a client before its requests that make progress.
func TestStalledGoBeforeIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cr := newCrowd(t, 8)
		var kept []*connection
		for range 4 {
			kept = append(kept, cr.answer(cr.connect("192.0.2.1")))
		}
		sending := cr.stall(kept[0])
		for range 4 {
			cr.stall(cr.connect("192.0.2.1"))
		}
		time.Sleep(stalledAfter)
		sending.moved(progressBytes)
		for range 4 {
			kept = append(kept, cr.answer(cr.connect("192.0.2.1")))
		}
		cr.want("for stalled ones", kept...)
		for range 6 { // more than were idle before it made progress
			time.Sleep(time.Millisecond)
			cr.answer(cr.connect("192.0.2.1"))
		}
		cr.want("for idle ones", sending)
		stalled := cr.stall(cr.answer(cr.connect("192.0.2.1")))
		time.Sleep(stalledAfter)
		sending.moved(progressBytes)
		idle := cr.answer(cr.connect("192.0.2.1"))
		if cr.want("for the stalled one", sending, idle); stalled.client != nil {
			t.Error("a stalled request stays, and an idle connection goes")
		}
	})
}

// TestUnreadRequestsStay: a connection whose request has arrived goes after one that sends nothing.
func TestUnreadRequestsStay(t *testing.T) {
	listener := listen(t)
	defer listener.Close()
	cr := newCrowd(t, 2)
	var clients []net.Conn
	var all []*connection
	for range 2 {
		client, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		c := &connection{Conn: conn, home: cr.connections, address: addressOf(conn)}
		cr.admit(c)
		clients, all = append(clients, client), append(all, cr.answer(c))
	}
	_, _ = io.WriteString(clients[0], "POST")
	eventually.True(t, "the request to arrive", func() bool { return pending(all[0].Conn) })
	cr.connect("192.0.2.1")
	cr.want("with a request", all[0])
	cr.connect("192.0.2.1") // it goes if there is no other
	if cr.count() != 2 {
		t.Errorf("%d connections are open", cr.count())
	}
}

// TestBusyConnectionsStay: hostile connections that always send, from many addresses, are evicted
// before an idle one that was used later.
func TestBusyConnectionsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 200
		cr := newCrowd(t, most)
		useful := cr.connect("192.0.2.1")
		for i := range 5 * most {
			cr.stall(cr.answer(cr.connect(fmt.Sprintf("10.1.%d.%d", i%most/100, i%100))))
			time.Sleep(time.Millisecond)
			if i%20 == 0 {
				cr.answer(useful)
			}
		}
		cr.want("in use", useful)
	})
}
