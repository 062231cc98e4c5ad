package serve

import "github.com/crosswalk-gateway/crosswalk/internal/fair"

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
