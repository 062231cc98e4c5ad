package module

import "time"

// waitBudget is the total time that one borrower waits for an instance. Nil is unlimited. It
// belongs to one goroutine, which ends it.
type waitBudget struct {
	limit time.Duration
	timer *time.Timer // started by the first wait
}

// over returns a channel that receives when the limit has passed since the first call.
func (p *waitBudget) over() <-chan time.Time {
	if p == nil {
		return nil
	}
	if p.timer == nil {
		p.timer = time.NewTimer(p.limit)
	}
	return p.timer.C
}

func (p *waitBudget) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
}
