package serve

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"os"
	urlpath "path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/fair"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// reviewPath is the path of reviews; anything may follow it, to tell CRDs apart in an access log.
const reviewPath = "/convert"

// serveReview answers one request on the TLS port. Everything that can be refused without reading
// the body is. A slot is held while the review is converted, and neither while its body is read nor
// while its answer is written: a slow client holds memory, within the budgets for bodies and
// answers, and no slot.
func (s *Server) serveReview(w http.ResponseWriter, r *http.Request) {
	x := &exchange{server: s, w: w, r: r, began: time.Now()}
	s.requests.Add(1)
	defer func() { x.end(recover()) }()
	_ = http.NewResponseController(w).SetReadDeadline(x.began.Add(s.cfg.ReadTimeout)) // here, because the time counts from the end of the headers

	if rejected := s.check(r); rejected != nil {
		x.reject(rejected)
		return
	}
	starting := s.life.admits()
	if starting != nil && !s.cfg.Early() {
		x.reject(&rejection{http.StatusServiceUnavailable, starting.Error()})
		return
	}
	if err := x.readBody(); err != nil {
		x.reject(s.bodyError(err))
		return
	}
	if x.account = s.cfg.Account(x.body.bytes); s.cfg.Owner != nil {
		x.owner = s.cfg.Owner(x.account)
	}
	if err := x.reserve(); err != nil {
		x.reject(overloaded(err, "answers"))
		return
	}
	if err := s.slots.Acquire(r.Context(), x.slots()); err != nil {
		x.reject(overloaded(err, "reviews"))
		return
	}
	x.slot = true

	answer, outcome, rejected := x.convert()
	if rejected == nil && outcome.Failure == faults.Busy && repeatFits(r.URL.RawQuery, time.Since(x.began)) {
		rejected = &rejection{http.StatusTooManyRequests, outcome.Message}
	}
	if rejected == nil && outcome.Failure == host.FailureNoRoute && starting != nil { // its module may be next
		rejected = &rejection{http.StatusServiceUnavailable, starting.Error()}
	}
	if l := outcome.Loading; rejected == nil && l.File != "" && time.Since(l.Since) < s.cfg.StartGrace {
		rejected = &rejection{http.StatusServiceUnavailable, outcome.Message}
	}
	if rejected == nil && !x.charge(answer) {
		rejected = overloaded(errUnread, "answers")
	}
	if rejected != nil {
		x.reject(rejected)
		return
	}
	x.answer(answer, outcome)
	s.cfg.Recycle(answer)
}

// check rejects a request whose headers cannot belong to a review. It reports the most fundamental
// error first.
func (s *Server) check(r *http.Request) *rejection {
	if !isReviewPath(r.URL.Path) {
		return &rejection{http.StatusNotFound, "not found: post conversion reviews to " + reviewPath}
	}
	if r.Method != http.MethodPost {
		return &rejection{http.StatusMethodNotAllowed, "conversion reviews are sent with POST"}
	}
	if kind := r.Header.Get("Content-Type"); kind != "application/json" {
		if parsed, _, err := mime.ParseMediaType(kind); err != nil || parsed != "application/json" {
			return &rejection{http.StatusUnsupportedMediaType, fmt.Sprintf("the body's Content-Type is %.64q: send application/json", kind)}
		}
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return &rejection{http.StatusUnsupportedMediaType, fmt.Sprintf("the body's Content-Encoding is %.64q: send it without one", coding)}
	}
	return nil
}

// isReviewPath cleans rather than redirects, for a 301 would come back as a GET. API servers clean
// the paths they send; curl does not.
func isReviewPath(p string) bool {
	if p == reviewPath {
		return true
	}
	p = urlpath.Clean("/" + p)
	return p == reviewPath || strings.HasPrefix(p, reviewPath+"/")
}

func (s *Server) bodyError(err error) *rejection {
	switch {
	case errors.Is(err, errBodyTooLarge):
		return &rejection{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes (--max-body-bytes)", s.cfg.MaxBodyBytes)}
	case errors.Is(err, fair.ErrFull), errors.Is(err, fair.ErrWait):
		return overloaded(err, "request bodies")
	case errors.Is(err, errStalled), errors.Is(err, os.ErrDeadlineExceeded):
		return &rejection{http.StatusBadRequest, fmt.Sprintf("the body arrives too slowly: all of it may take %v, and each MiB %v", s.cfg.ReadTimeout, s.cfg.StallTimeout)}
	default:
		return &rejection{http.StatusBadRequest, "reading the body: " + err.Error()}
	}
}

func overloaded(err error, what string) *rejection {
	return &rejection{http.StatusTooManyRequests, "too many " + what + " at once: " + err.Error()}
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

// end releases the resources of a request. It first answers for a handler that panicked, so that
// the user sees a failure rather than a broken connection, which API servers do not retry.
func (x *exchange) end(panicked any) {
	if panicked != nil {
		x.server.metrics.panics.Inc()
		x.server.log.Error("panic recovered; this is a bug", "err", fmt.Sprint(panicked), "stack", string(debug.Stack()))
		x.holding.Lock()
		failed := x.failedReview("internal", "the gateway failed while converting; its log says why")
		x.holding.Unlock()
		x.giveUp(failed)
	}
	x.converted()
	if x.room > 0 {
		x.server.answers.Release(x.claim(x.room))
	}
	x.mu.Lock()
	x.ended = true
	x.mu.Unlock()
	x.server.requests.Add(-1)
}
