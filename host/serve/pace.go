package serve

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	// smallMessage is the size up to which a body or an answer is charged to its connection, of which
	// there are at most ServerConfig.MaxConnections, and not to a budget: 16 KiB hold the review of
	// one ordinary object (3.8 KB with its managedFields, and the envelope). So slow clients that
	// hold the budgets cannot stop the reviews of such objects.
	smallMessage = 16 << 10

	// paceBytes is how much of a larger body or answer must pass within ServerConfig.StallTimeout. With 10 s that is 100 KiB a second, a
	// thousandth of the slowest network between an API server and a pod.
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

// readBody reads the body of the request, within its time and the budget for bodies. At the end of a body net/http removes the deadline, so that it
// does not end the conversion.
func (x *exchange) readBody() error {
	s, r := x.server, x.r
	body := io.Reader(r.Body)
	if n := r.ContentLength; n < 0 || n > smallMessage {
		body = &pacedBody{body: body, control: http.NewResponseController(x.w), stall: s.cfg.StallTimeout, end: x.began.Add(s.cfg.ReadTimeout)}
	}
	err := s.bodies.read(r.Context(), body, r.ContentLength, &x.body)
	x.size = len(x.body.bytes)
	return err
}

// write sends an answer. Each paceBytes of it has a deadline; after a miss, the connection is
// closed.
func (x *exchange) write(content []byte) {
	if len(content) > smallMessage {
		control, end := http.NewResponseController(x.w), x.began.Add(x.server.cfg.WriteTimeout)
		for len(content) > 0 {
			_ = control.SetWriteDeadline(earlier(time.Now().Add(x.server.cfg.StallTimeout), end))
			n, err := x.w.Write(content[:min(len(content), paceBytes)])
			if err != nil {
				return
			}
			content = content[n:]
		}
		return
	}
	_, _ = x.w.Write(content) // an error means that the client went away
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// reserve takes room in the budget for answers before a large review is converted: about as much as its body has.
//
// # Errors
//
// Those of semaphore.acquire.
func (x *exchange) reserve() error {
	n := int64(x.size)
	if isSmall(x.size) {
		return nil
	}
	n = min(n, x.server.answers.limit)
	if err := x.server.answers.acquire(x.r.Context(), n); err != nil {
		return err
	}
	x.room = n
	return nil
}

// isSmall reports whether a message of this many bytes needs no room in a budget.
func isSmall(bytes int) bool { return bytes <= smallMessage }

// charge turns the reserved room into room for the answer, and returns false if the budget does not
// suffice. It does not wait, because the answer is already in memory.
func (x *exchange) charge(answer []byte) bool {
	var n int64
	if !isSmall(len(answer)) {
		n = min(int64(cap(answer)), x.server.answers.limit) // one that is larger than the budget can have it all
	}
	if n > x.room && !x.server.answers.tryAcquire(n-x.room) {
		return false
	}
	if n < x.room {
		x.server.answers.release(x.room - n)
	}
	x.room = n
	return true
}
