package serve

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/fair"
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
	answer, version, uid := host.FailedAnswer(x.body.bytes, reason, message)
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
	x.handler.report.answered(x.r.Context(), o, time.Since(x.began))
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

// convert has the review converted in the slot that the exchange holds. The slot and the body are
// given back when the conversion returns; the slot of an overdue conversion is given back before.
func (x *exchange) convert() (answer []byte, outcome host.Outcome, rejected *rejection) {
	left, grace := timeouts(x.r.URL.RawQuery, x.handler.cfg.ReviewTimeout)
	deadline := x.handler.life.bound(x.began.Add(left))
	ctx := &reviewContext{Context: x.r.Context(), deadline: deadline}
	defer ctx.end()
	late := time.AfterFunc(time.Until(deadline)+grace, func() { x.overdue(deadline, grace) })
	defer late.Stop()
	answer, outcome, invalid := x.handler.cfg.Review(ctx, x.body.bytes)
	x.converted() // not deferred: after a panic, end reads in the body whom to answer
	if invalid != nil {
		return nil, outcome, &rejection{http.StatusBadRequest, invalid.Error()}
	}
	return answer, outcome, nil
}

// converted releases the resources of the conversion. Calling it twice does nothing.
func (x *exchange) converted() {
	x.holding.Lock()
	defer x.holding.Unlock()
	if x.overran != nil {
		x.handler.overruns.remove(x.overran)
		x.overran = nil
	}
	x.leaveSlot()
	x.body.release()
	x.returned = true
}

// leaveSlot gives the slot back, if the exchange has one. The caller holds x.holding.
func (x *exchange) leaveSlot() {
	if x.slot {
		x.slot = false
		x.handler.slots.Release(x.slotClaim())
	}
}

// overdue answers a review whose conversion exceeds its deadline, and does not wait for the
// converter. If the client gave less time than overdueGrace, the converter may still be healthy, so
// the review keeps its slot for the rest of overdueGrace; otherwise clients with tiny timeouts
// could have more reviews converted than there are slots.
func (x *exchange) overdue(deadline time.Time, by time.Duration) {
	time.AfterFunc(overdueGrace-by, func() { x.overrun(deadline) }) // first, because the client may not read its answer
	x.holding.Lock()
	returned, failed := x.returned, x.failedReview("deadline", "the conversion did not end within its time")
	x.holding.Unlock()
	if !returned { // else its answer is on the way
		x.giveUp(failed)
	}
}

// overrun gives back the slot of a conversion that has not returned, and closes its connection: the
// handler can end neither.
func (x *exchange) overrun(deadline time.Time) {
	x.holding.Lock()
	if x.returned {
		x.holding.Unlock()
		return
	}
	if x.overran = x.handler.overruns.add(deadline); !x.overran.keepsSlot {
		x.leaveSlot()
	}
	x.holding.Unlock()
	x.handler.report.overdue(time.Since(x.began), x.handler.overruns.count())
	x.hangUp()
}

// whose returns the account and the owner of a review as a claim, by the begin of its body.
func (h *handler) whose(begin []byte) (c fair.Claim) {
	if c.Account = h.cfg.Account(begin[:min(len(begin), minBuffer)]); h.cfg.Owner != nil {
		c.Owner = h.cfg.Owner(c.Account)
	}
	return c
}

// claim is a claim for the account of the review.
func (x *exchange) claim(units int64) fair.Claim {
	return fair.Claim{Units: units, Account: x.account, Owner: x.owner, Large: x.size > largeMessage}
}

// slotClaim is the claim for converting the review: one slot, and one more for each further
// largeMessage of its body, up to a quarter of all. So a few large reviews, each of which keeps a
// processor busy for long, do not run beside each other. Slots are also shared among the namespaces of
// an account: one team's objects do not keep those of another waiting.
func (x *exchange) slotClaim() fair.Claim {
	most := max(1, x.handler.slots.Limit()/4)
	c := x.claim(min(1+int64(x.size)/largeMessage, most))
	c.Namespace = x.namespace
	return c
}

// reserve takes room in the budget for answers before a large review is converted: half more than its
// body has, so that a list whose answer is not much larger needs no more once it is converted. A buffer
// for an answer can be a quarter larger than the answer.
//
// # Errors
//
// Those of fair.Semaphore.Acquire.
func (x *exchange) reserve() error {
	if x.size <= smallMessage {
		return nil
	}
	n := min(int64(x.size)+int64(x.size)/2, x.handler.answers.Limit())
	if err := x.handler.answers.Acquire(x.r.Context(), x.claim(n)); err != nil {
		return err
	}
	x.room = n
	return nil
}

// charge turns the reserved room into room for the answer, and returns false if the account's share of
// the budget does not suffice: a module that answers small objects with large ones, to clients that do
// not read, would else take the room of all others. It does not wait, because the answer is already in
// memory.
func (x *exchange) charge(answer []byte) bool {
	var n int64
	if len(answer) > smallMessage {
		n = min(int64(cap(answer)), x.handler.answers.Limit()) // one that is larger than the budget can have it all
	}
	if n > x.room && !x.handler.answers.TryAcquire(x.claim(n-x.room), x.room) {
		return false
	}
	if n < x.room {
		x.handler.answers.Release(x.claim(x.room - n))
	}
	x.room = n
	return true
}

// timeouts returns how long a review may take from its arrival, and how long after that a late
// converter's review is answered with a failure. The client's own timeout comes with the request
// (the API server sends timeout=30s); three seconds of it are kept for the network, or half of a
// timeout shorter than six seconds. Without a usable timeout, the limit is most.
func timeouts(query string, most time.Duration) (review, grace time.Duration) {
	const way = 3 * time.Second
	client, ok := clientTimeout(query)
	if !ok {
		return most, overdueGrace
	}
	review = min(most, max(client-way, client/2))
	return review, min(overdueGrace, (client-review)/2)
}

// clientTimeout returns the timeout that came with a request, if it is usable.
func clientTimeout(query string) (time.Duration, bool) {
	value, plain := strings.CutPrefix(query, "timeout=")
	if !plain || strings.ContainsAny(value, "&;%+") {
		values, _ := url.ParseQuery(query) // returns the valid part on an error
		value = values.Get("timeout")
	}
	client, err := time.ParseDuration(value)
	return client, err == nil && client > 0
}

// repeatFits reports whether a client that repeats a review after Retry-After has as much time left
// for it as this attempt took. An API server's timeout covers all its attempts together. A client
// without a timeout may not repeat at all, and gets the reason of the failure instead.
func repeatFits(query string, took time.Duration) bool {
	client, ok := clientTimeout(query)
	return ok && client-took >= retryPause+took
}
