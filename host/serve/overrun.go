package serve

import (
	"fmt"
	"sync"
	"time"
)

const (
	// overdueGrace is the slack after the deadline before an unfinished conversion is reported as a
	// bug of the gateway: a module is checked every millisecond, if a processor is available for
	// that.
	overdueGrace = time.Second

	// overrunLimit is how long after its deadline a conversion may run before /healthz asks for a
	// restart. It is longer than a busy machine delays a conversion that ends by itself; with the
	// probe's three failures, 10 s apart, the pod is restarted a minute after the deadline.
	overrunLimit = 30 * time.Second
)

// overruns tracks the conversions that run past their deadlines. Nothing can stop a goroutine from
// outside, so such a conversion keeps its memory and its processor until it returns. Its slot goes
// to the next review; otherwise a few of them would stop the conversions of every kind. But at most
// a fixed number run without a slot at a time, which bounds their memory. It is safe for concurrent
// use.
type overruns struct {
	most int // conversions that run without a slot

	mu      sync.Mutex
	running map[*exchange]overrun
}

type overrun struct {
	deadline time.Time
	slot     bool // it kept its slot
}

func newOverruns(most int) *overruns { return &overruns{most: most, running: map[*exchange]overrun{}} }

// add notes a conversion and reports whether it keeps its slot.
func (o *overruns) add(x *exchange, deadline time.Time) (keepsSlot bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	without := 0
	for _, other := range o.running {
		if !other.slot {
			without++
		}
	}
	keepsSlot = without >= o.most
	o.running[x] = overrun{deadline, keepsSlot}
	return keepsSlot
}

// remove forgets a conversion that returned.
func (o *overruns) remove(x *exchange) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.running, x)
}

func (o *overruns) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.running)
}

// err says why the process must be restarted: a conversion is overdue for longer than overrunLimit,
// or overdue conversions hold slots. It is nil if neither is the case.
func (o *overruns) err(now time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var slots int
	var oldest time.Duration
	for _, r := range o.running {
		oldest = max(oldest, now.Sub(r.deadline))
		if r.slot {
			slots++
		}
	}
	if slots == 0 && oldest < overrunLimit {
		return nil
	}
	return fmt.Errorf("conversions run past their deadlines: %d, the oldest by %v; %d of them hold slots; only a restart ends them",
		len(o.running), oldest.Truncate(time.Second), slots)
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
	x.overran = true
	if !x.server.overruns.add(x, deadline) {
		x.leaveSlot()
	}
	x.holding.Unlock()
	x.server.metrics.overdue.Inc()
	if held, ok := x.server.quiet.allow("overdue", time.Now()); ok {
		x.server.log.Error("a conversion ran past its deadline; this is a bug", "took", time.Since(x.began),
			"running", x.server.overruns.count(), "unlogged", held)
	}
	x.hangUp()
}
