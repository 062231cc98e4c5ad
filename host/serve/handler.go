package serve

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/fair"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// handler answers the requests on the port for reviews.
type handler struct {
	cfg    *ServerConfig
	life   *life
	report *report

	bodies   *bodies
	answers  *fair.Semaphore // its units are bytes
	slots    *fair.Semaphore
	overruns *overruns
	requests atomic.Int64 // whose handlers have not returned
}

func newHandler(cfg *ServerConfig, life *life, report *report) *handler {
	config := func(limit int64) fair.Config {
		return fair.Config{Limit: limit, MaxWaiting: cfg.MaxQueue, Wait: cfg.QueueWait, Owners: cfg.Owner != nil}
	}
	slots := config(int64(cfg.MaxInFlight))
	slots.Namespaces, slots.OverShare = cfg.Namespace != nil, cfg.Metrics.overShare
	return &handler{
		cfg: cfg, life: life, report: report,
		bodies:   &bodies{max: cfg.MaxBodyBytes, budget: fair.NewSemaphore(config(cfg.MaxBodyBytesInFlight))},
		answers:  fair.NewSemaphore(config(cfg.MaxAnswerBytesInFlight)),
		slots:    fair.NewSemaphore(slots),
		overruns: newOverruns(cfg.MaxInFlight), // as many as have slots
	}
}

// serveReview answers one request on the TLS port. It rejects what it can before it reads the body.
// A review holds a slot only while it is converted, neither while its body is read nor while its
// answer is written: a slow client holds memory, within the budgets for bodies and answers, and no
// slot.
func (h *handler) serveReview(w http.ResponseWriter, r *http.Request) {
	x := &exchange{handler: h, w: w, r: r, began: time.Now()}
	h.requests.Add(1)
	defer func() { x.end(recover()) }()
	_ = http.NewResponseController(w).SetReadDeadline(x.began.Add(h.cfg.ReadTimeout)) // here, because the time counts from the end of the headers

	if rejected := check(r); rejected != nil {
		x.reject(rejected)
		return
	}
	starting := h.life.admits()
	if starting != nil && !h.cfg.Early() {
		x.reject(&rejection{http.StatusServiceUnavailable, starting.Error()})
		return
	}
	if err := x.readBody(); err != nil {
		x.reject(bodyError(err, h.cfg))
		return
	}
	if err := x.reserve(); err != nil {
		x.reject(overloaded(err, "answers"))
		return
	}
	if err := h.slots.Acquire(r.Context(), x.slotClaim()); err != nil {
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
	if l := outcome.Loading; rejected == nil && l.File != "" && time.Since(l.Since) < h.cfg.StartGrace {
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
	h.cfg.Recycle(answer)
}

// end releases the resources of a request. It first answers for a handler that panicked, so that
// the user sees a failure rather than a broken connection, which API servers do not retry.
func (x *exchange) end(panicked any) {
	if panicked != nil {
		x.handler.report.panicked(panicked)
		x.holding.Lock()
		failed := x.failedReview("internal", "the gateway failed while converting; its log says why")
		x.holding.Unlock()
		x.giveUp(failed)
	}
	x.converted()
	if x.room > 0 {
		x.handler.answers.Release(x.claim(x.room))
	}
	x.mu.Lock()
	x.ended = true
	x.mu.Unlock()
	x.handler.requests.Add(-1)
}

// errDraining is the error of /readyz once the end is announced.
var errDraining = errors.New("draining: shutting down")

// life is where a server is between its start and its end. It may be read by many goroutines at
// once.
type life struct {
	ready func() error

	// Times are of time.Now, not numbers, so that a clock that is set changes nothing.
	open     atomic.Bool               // reviews are taken: ready once, or the grace is over. Never goes back
	graceEnd atomic.Pointer[time.Time] // nil before begin
	end      atomic.Pointer[time.Time] // when reviews are cut off; nil while not draining
}

func (l *life) begin(grace time.Duration) {
	end := time.Now().Add(grace)
	l.graceEnd.Store(&end)
}

// drain announces the end: reviews are cut off after some time.
func (l *life) drain(after time.Duration) {
	end := time.Now().Add(after)
	l.end.Store(&end)
}

// admits returns an error while no review can be taken yet. Once reviews are possible it always
// admits them: a set of modules that served once serves for ever, and a review that fails with a
// message is better than a review that is rejected for retry.
func (l *life) admits() error {
	if l.open.Load() {
		return nil
	}
	if end := l.graceEnd.Load(); end != nil && time.Now().Before(*end) {
		if err := l.ready(); err != nil {
			return err
		}
	}
	l.open.Store(true)
	return nil
}

// state is the error of /readyz: nil when ready.
func (l *life) state() error {
	if l.draining() {
		return errDraining
	}
	return l.ready()
}

func (l *life) draining() bool { return l.end.Load() != nil }

// bound shortens a review's deadline to the time that is left before reviews are cut off.
func (l *life) bound(deadline time.Time) time.Time {
	if end := l.end.Load(); end != nil && end.Before(deadline) {
		return *end
	}
	return deadline
}

// retryPause is the time after which an API server repeats a review that got 429 or 503. The queue
// in front of a review empties faster than that, and ten repeats fit into the API server's 30 s.
const retryPause = time.Second

// rejection is an answer other than a ConversionReview: a request that is not a review, or that the
// server does not take now.
type rejection struct {
	status  int // of HTTP
	message string
}

// check rejects a request whose headers cannot belong to a review. It reports the most fundamental
// error first. Any path may have reviews: a review names its kind, and operators choose their paths.
func check(r *http.Request) *rejection {
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

func bodyError(err error, cfg *ServerConfig) *rejection {
	switch {
	case errors.Is(err, errBodyTooLarge):
		return &rejection{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes (--max-body-bytes)", cfg.MaxBodyBytes)}
	case errors.Is(err, fair.ErrFull), errors.Is(err, fair.ErrWait):
		return overloaded(err, "request bodies")
	case errors.Is(err, errStalled), errors.Is(err, os.ErrDeadlineExceeded):
		return &rejection{http.StatusBadRequest, fmt.Sprintf("the body arrives too slowly: all of it may take %v, and each MiB %v", cfg.ReadTimeout, cfg.StallTimeout)}
	default:
		return &rejection{http.StatusBadRequest, "reading the body: " + err.Error()}
	}
}

func overloaded(err error, what string) *rejection {
	return &rejection{http.StatusTooManyRequests, "too many " + what + " at once: " + err.Error()}
}
