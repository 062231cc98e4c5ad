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
	running map[*overrun]bool
}

// overrun is one such conversion.
type overrun struct {
	deadline  time.Time
	keepsSlot bool
}

func newOverruns(most int) *overruns { return &overruns{most: most, running: map[*overrun]bool{}} }

// add notes a conversion, and decides whether it keeps its slot.
func (o *overruns) add(deadline time.Time) *overrun {
	o.mu.Lock()
	defer o.mu.Unlock()
	without := 0
	for other := range o.running {
		if !other.keepsSlot {
			without++
		}
	}
	r := &overrun{deadline: deadline, keepsSlot: without >= o.most}
	o.running[r] = true
	return r
}

// remove forgets a conversion that returned.
func (o *overruns) remove(r *overrun) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.running, r)
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
	for r := range o.running {
		oldest = max(oldest, now.Sub(r.deadline))
		if r.keepsSlot {
			slots++
		}
	}
	if slots == 0 && oldest < overrunLimit {
		return nil
	}
	return fmt.Errorf("conversions run past their deadlines: %d, the oldest by %v; %d of them hold slots; only a restart ends them",
		len(o.running), oldest.Truncate(time.Second), slots)
}
