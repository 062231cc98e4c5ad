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
	left, grace := timeouts(x.r.URL.RawQuery, x.server.cfg.ReviewTimeout)
	deadline := x.server.life.bound(x.began.Add(left))
	ctx, cancel := context.WithDeadline(x.r.Context(), deadline)
	defer cancel()
	late := time.AfterFunc(time.Until(deadline)+grace, func() { x.overdue(deadline, grace) })
	defer late.Stop()
	answer, outcome, invalid := x.server.cfg.Review(ctx, x.body.bytes)
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
	if x.overran {
		x.overran = false
		x.server.overruns.remove(x)
	}
	x.leaveSlot()
	x.body.release()
	x.returned = true
}

// leaveSlot gives the slot back, if the exchange has one. The caller holds x.holding.
func (x *exchange) leaveSlot() {
	if x.slot {
		x.slot = false
		x.server.slots.Release(x.slots())
	}
}
