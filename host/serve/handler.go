package serve

import (
	"net/http"
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
	shared := fair.Config{MaxWaiting: cfg.MaxQueue, Wait: cfg.QueueWait, Owners: cfg.Owner != nil}
	bytes := func(limit int64) *fair.Semaphore {
		shared.Limit = limit
		return fair.NewSemaphore(shared)
	}
	slots := shared
	slots.Limit, slots.Namespaces, slots.OverShare = int64(cfg.MaxInFlight), cfg.Namespace != nil, cfg.Metrics.overShare
	return &handler{
		cfg: cfg, life: life, report: report,
		bodies:   &bodies{max: cfg.MaxBodyBytes, budget: bytes(cfg.MaxBodyBytesInFlight)},
		answers:  bytes(cfg.MaxAnswerBytesInFlight),
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
