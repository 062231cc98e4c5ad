package serve

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/fair"
)

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
