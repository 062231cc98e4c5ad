package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// convert has the review converted in the slot that the exchange holds. The slot and the body are
// given back when the conversion returns; the slot of an overdue conversion is given back before.
func (x *exchange) convert() (answer []byte, outcome host.Outcome, rejected *rejection) {
	left, grace := timeouts(x.r.URL.RawQuery, x.handler.cfg.ReviewTimeout)
	deadline := x.handler.life.bound(x.began.Add(left))
	ctx, cancel := context.WithDeadline(x.r.Context(), deadline)
	defer cancel()
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
