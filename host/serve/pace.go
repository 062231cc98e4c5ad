package serve

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	// smallMessage is the size up to which a body or an answer is charged to its connection, of
	// which there are at most ServerConfig.MaxConnections, and not to a budget: 16 KiB hold the
	// review of one ordinary object (3.8 KB with its managedFields, and the envelope). So slow
	// clients that hold the budgets cannot stop the reviews of such objects.
	smallMessage = 16 << 10

	// largeMessage is the size from which requests share what the small ones leave: more than
	// nearly all objects have.
	largeMessage = 256 << 10

	// paceBytes is how much of a larger body or answer must pass within ServerConfig.StallTimeout.
	// With 10 s that is 100 KiB a second, a thousandth of the slowest network between an API server
	// and a pod.
	paceBytes = 1 << 20
)

// The reasons to abort reading a body and to reject an answer.
var (
	errStalled = errors.New("the body arrives too slowly")
	errUnread  = errors.New("clients do not read the answers of other reviews")
)

// pacedBody reads a body. Each paceBytes of it must arrive within stall, and all of it before end.
type pacedBody struct {
	body    io.Reader
	control *http.ResponseController
	stall   time.Duration
	end     time.Time
	left    int // bytes until the deadline is set anew
}

// Read reads at most the bytes that the current deadline covers.
func (p *pacedBody) Read(b []byte) (int, error) {
	if p.left <= 0 {
		p.left = paceBytes
		_ = p.control.SetReadDeadline(earlier(time.Now().Add(p.stall), p.end)) // only the connections of tests do not support deadlines
	}
	n, err := p.body.Read(b[:min(len(b), p.left)])
	p.left -= n
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = errStalled
	}
	return n, err
}

// writePaced sends a large answer. Each paceBytes of it must be taken within stall, and all of it
// before end; after a miss, the connection is closed.
func writePaced(w http.ResponseWriter, content []byte, stall time.Duration, end time.Time) {
	control := http.NewResponseController(w)
	for len(content) > 0 {
		_ = control.SetWriteDeadline(earlier(time.Now().Add(stall), end))
		n, err := w.Write(content[:min(len(content), paceBytes)])
		if err != nil {
			return
		}
		content = content[n:]
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
