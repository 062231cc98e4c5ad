package serve

import (
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// exchange is one request and its one answer, which either the goroutine of the request or the
// timer of its deadline gives.
type exchange struct {
	handler   *handler
	r         *http.Request
	began     time.Time
	account   string // whose share the review uses; set once the body is read
	namespace string // of the first object; of the account
	owner     string // of the account; empty without owners
	room      int64  // in the budget for answers; of the goroutine of the request

	holding  sync.Mutex // guards the fields below, and is not held while sending
	body     pooledBody // empty until it is read, and once the conversion returned
	size     int        // of the body
	slot     bool       // it holds a slot
	overran  *overrun   // one of the handler's overruns; nil unless it is overdue
	returned bool       // the conversion returned, or there was none

	mu       sync.Mutex // guards the fields below
	w        http.ResponseWriter
	answered bool
	outcome  host.Outcome // once answered with a review
	ended    bool         // the handler has returned: w must not be used
}

// readBody reads the body of the request, within its time and the budget for bodies. At the end of
// a body net/http removes the deadline, so that it does not end the conversion.
func (x *exchange) readBody() error {
	h, r := x.handler, x.r
	body := io.Reader(r.Body)
	if n := r.ContentLength; n < 0 || n > smallMessage {
		body = &pacedBody{body: body, control: http.NewResponseController(x.w), stall: h.cfg.StallTimeout, end: x.began.Add(h.cfg.ReadTimeout)}
	}
	x.body.whose = h.whose
	err := h.bodies.read(r.Context(), body, r.ContentLength, &x.body)
	x.size = len(x.body.bytes)
	if err == nil {
		x.account, x.owner = x.body.account()
		if h.cfg.Namespace != nil {
			x.namespace = h.cfg.Namespace(x.body.bytes)
		}
		connectionIn(x.r.Context()).enter(phaseReview)
	}
	return err
}

// reject sends a rejection.
func (x *exchange) reject(e *rejection) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.answered {
		return
	}
	h := x.w.Header()
	switch e.status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		h.Set("Retry-After", strconv.Itoa(int(retryPause.Seconds())))
	case http.StatusMethodNotAllowed:
		h.Set("Allow", http.MethodPost)
	case http.StatusRequestEntityTooLarge:
		h.Set("Connection", "close") // or the rest of the body would be read and thrown away
	}
	h.Set("X-Content-Type-Options", "nosniff")
	x.handler.report.rejected(x.r, e, x.account, x.size > 0)
	x.send(e.status, "text/plain; charset=utf-8", []byte(e.message+"\n"))
}

// answer sends a complete ConversionReview.
func (x *exchange) answer(review []byte, o host.Outcome) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.answered {
		x.finish(review, o)
	}
}

// giveUp answers in the place of a converter that did not, unless the answer was given already.
func (x *exchange) giveUp(failed failedReview) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.answered || x.ended {
		return
	}
	x.w.Header().Set("Connection", "close")
	if failed.review != nil {
		x.finish(failed.review, failed.outcome)
	} else {
		x.send(http.StatusInternalServerError, "text/plain; charset=utf-8", []byte(failed.outcome.Message+"\n"))
		x.handler.report.metrics.rejected.WithLabelValues(codeLabel(http.StatusInternalServerError)).Inc()
	}
	_ = http.NewResponseController(x.w).Flush() // the handler may not return for a while yet
}

// hangUp closes the connection of a review that was answered while its handler has not returned.
func (x *exchange) hangUp() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended || !x.answered {
		return
	}
	if conn, _, err := http.NewResponseController(x.w).Hijack(); err == nil {
		conn.Close()
	}
}

// failedReview is the failure that the exchange sends if nothing else answers the request.
type failedReview struct {
	review  []byte // nil: the request does not say whose review it is
	outcome host.Outcome
}

// failedReview makes a failedReview. Of the body it reads only the review's version and uid. The
// caller holds x.holding.
func (x *exchange) failedReview(reason, message string) failedReview {
	answer, version, uid := host.FailedAnswer(x.body.bytes, message)
	return failedReview{answer, host.Outcome{UID: uid, ReviewVersion: version, Failure: reason, Message: message}}
}

// finish sends a review and reports its outcome. The caller holds x.mu.
func (x *exchange) finish(review []byte, outcome host.Outcome) {
	x.outcome = outcome
	c := connectionIn(x.r.Context())
	c.prove(&outcome)
	o := &x.outcome // part of the exchange, so that it costs no allocation
	if len(review) <= smallMessage {
		c.gather()
		defer x.sendGathered(c) // last, so that who has the answer finds it counted
	}
	x.send(http.StatusOK, "application/json", review)
	x.handler.report.answered(x.r.Context(), o, time.Since(x.began), x.size, len(review))
}

// send writes a whole answer with its length known. The caller holds x.mu and has checked that
// nothing was sent.
func (x *exchange) send(code int, contentType string, content []byte) {
	x.answered = true
	connectionIn(x.r.Context()).enter(phaseAnswer)
	h := x.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	if x.handler.life.draining() {
		h.Set("Connection", "close")
	}
	x.w.WriteHeader(code)
	if len(content) > smallMessage {
		writePaced(x.w, content, x.handler.cfg.StallTimeout, x.began.Add(x.handler.cfg.WriteTimeout))
		return
	}
	_, _ = x.w.Write(content) // an error means that the client went away
}

// sendGathered sends the answer that a connection gathered.
func (x *exchange) sendGathered(c *connection) {
	if c != nil {
		_ = http.NewResponseController(x.w).Flush() // an error means that the client went away
		c.sendGathered()
	}
}
