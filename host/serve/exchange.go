package serve

import (
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/fair"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// retryPause is the time after which an API server repeats a review that got 429 or 503. The queue
// in front of a review empties faster than that, and ten repeats fit into the API server's 30 s.
const retryPause = time.Second

// largeMessage is the size from which requests share what the small ones leave: more than nearly
// all objects have.
const largeMessage = 256 << 10

// maxLogged is how many bytes of a text from a client a log line shows.
const maxLogged = 128

// exchange is one request and its one answer, which either the goroutine of the request or the
// timer of its deadline gives.
type exchange struct {
	server  *Server
	r       *http.Request
	began   time.Time
	account string // whose share the review uses; set once the body is read
	owner   string // of the account; empty without owners
	room    int64  // in the budget for answers; of the goroutine of the request

	holding  sync.Mutex // guards the fields below, and is not held while sending
	body     pooledBody // empty until it is read, and once the conversion returned
	size     int        // of the body
	slot     bool       // it holds a slot
	overran  bool       // it is among the server's overruns
	returned bool       // the conversion returned, or there was none

	mu       sync.Mutex // guards the fields below
	w        http.ResponseWriter
	answered bool
	outcome  host.Outcome // once answered with a review
	ended    bool         // the handler has returned: w must not be used
}

// rejection is an answer other than a ConversionReview: a request that is not a review, or that the
// server does not take now.
type rejection struct {
	status  int // of HTTP
	message string
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
	code := codeLabel(e.status)
	x.server.metrics.rejected.WithLabelValues(code).Inc()
	if e.status == http.StatusTooManyRequests && x.size > 0 {
		x.server.metrics.turnedAway.WithLabelValues(x.server.metrics.accountLabel(x.account)).Inc()
	}
	x.send(e.status, "text/plain; charset=utf-8", []byte(e.message+"\n"))

	// API servers keep the body of most of these to themselves, so the log has to say it.
	if held, ok := x.server.quiet.allow(code, time.Now()); ok {
		x.server.log.Warn("request rejected", "code", e.status, "err", e.message, "client", x.r.RemoteAddr,
			"method", x.r.Method, "path", foreign.Shorten(x.r.URL.Path, maxLogged), "unlogged", held)
	}
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
		x.server.metrics.rejected.WithLabelValues(codeLabel(http.StatusInternalServerError)).Inc()
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

// claim is a claim for the account of the review.
func (x *exchange) claim(units int64) fair.Claim {
	return fair.Claim{Units: units, Account: x.account, Owner: x.owner, Large: x.size > largeMessage}
}

// slots is the claim for converting the review: one slot, and one more for each further largeMessage
// of its body, up to a quarter of all. So a few large reviews, each of which keeps a processor busy
// for long, do not run beside each other.
func (x *exchange) slots() fair.Claim {
	most := max(1, x.server.slots.Limit()/4)
	return x.claim(min(1+int64(x.size)/largeMessage, most))
}

// reserve takes room in the budget for answers before a large review is converted: about as much as
// its body has.
//
// # Errors
//
// Those of fair.Semaphore.Acquire.
func (x *exchange) reserve() error {
	if x.size <= smallMessage {
		return nil
	}
	n := min(int64(x.size), x.server.answers.Limit())
	if err := x.server.answers.Acquire(x.r.Context(), x.claim(n)); err != nil {
		return err
	}
	x.room = n
	return nil
}

// charge turns the reserved room into room for the answer, and returns false if the budget does not
// suffice. It does not wait, because the answer is already in memory.
func (x *exchange) charge(answer []byte) bool {
	var n int64
	if len(answer) > smallMessage {
		n = min(int64(cap(answer)), x.server.answers.Limit()) // one that is larger than the budget can have it all
	}
	if n > x.room && !x.server.answers.TryAcquire(x.claim(n-x.room)) {
		return false
	}
	if n < x.room {
		x.server.answers.Release(x.claim(x.room - n))
	}
	x.room = n
	return true
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

// finish sends a review, and counts and logs its outcome. The caller holds x.mu.
func (x *exchange) finish(review []byte, outcome host.Outcome) {
	x.outcome = outcome
	if c := x.connection(); c != nil {
		c.prove()
	}
	o := &x.outcome // part of the exchange, so that it costs no allocation
	if len(review) <= smallMessage {
		defer x.sendGathered(x.gather()) // last, so that who has the answer finds it counted
	}
	x.send(http.StatusOK, "application/json", review)
	took := time.Since(x.began)
	x.server.metrics.review(o, took, x.size, len(review))

	if o.Failure == "" && o.Violation != "" {
		x.violation(o)
	}
	if o.Failure == "" && o.UncheckedCause != "" {
		x.unchecked(o)
	}
	level, text, held := slog.LevelDebug, "review converted", 0
	if o.Failure != "" {
		var ok bool
		if held, ok = x.server.quiet.allow(o.Failure+" "+o.Kind+"."+o.Group, time.Now()); !ok {
			return
		}
		level, text = slog.LevelWarn, "review failed"
	}
	if ctx := x.r.Context(); x.server.log.Enabled(ctx, level) {
		x.server.log.Log(ctx, level, text, "kind", o.Kind, "group", o.Group, "from", o.From, "to", o.To, "uid", foreign.Shorten(o.UID, maxLogged),
			"objects", o.Objects, "reason", o.Failure, "module", o.Module, "err", o.Message, "took", took, "unlogged", held)
	}
}

// violation logs that a converted object breaks its schema: one of them a minute for each kind and
// version, for a list has thousands that are wrong in the same way.
func (x *exchange) violation(o *host.Outcome) {
	if held, ok := x.server.rare.allow(o.To+" "+o.Kind+"."+o.Group, time.Now()); ok {
		x.server.log.Warn("converted object breaks the schema", "kind", o.Kind, "group", o.Group, "from", o.From, "to", o.To, "uid", foreign.Shorten(o.UID, maxLogged),
			"err", o.Violation, "invalid", o.Invalid, "pruned", o.Pruned, "unlogged", held)
	}
}

// unchecked logs that an object was not checked against all of its schema: one of them a minute for
// each kind and version.
func (x *exchange) unchecked(o *host.Outcome) {
	if held, ok := x.server.rare.allow("unchecked "+o.To+" "+o.Kind+"."+o.Group, time.Now()); ok {
		x.server.log.Warn("converted object was not checked against all of its schema", "kind", o.Kind, "group", o.Group, "from", o.From, "to", o.To,
			"uid", foreign.Shorten(o.UID, maxLogged), "err", o.UncheckedCause, "objects", o.Unchecked, "unlogged", held)
	}
}

// send writes a whole answer with its length known. The caller holds x.mu and has checked that
// nothing was sent.
func (x *exchange) send(code int, contentType string, content []byte) {
	x.answered = true
	x.enter(phaseAnswer)
	h := x.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	if x.server.life.draining() {
		h.Set("Connection", "close")
	}
	x.w.WriteHeader(code)
	if len(content) > smallMessage {
		x.writePaced(content)
		return
	}
	_, _ = x.w.Write(content) // an error means that the client went away
}
