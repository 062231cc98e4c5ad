package module

import "time"

// patience is how long one borrower waits in all for an instance. Nil is endless. It belongs to one goroutine, which ends it.
type patience struct {
	limit time.Duration
	timer *time.Timer // from when there is something to wait for
}

// over returns a channel that delivers when the limit has passed since the first call.
func (p *patience) over() <-chan time.Time {
	if p == nil {
		return nil
	}
	if p.timer == nil {
		p.timer = time.NewTimer(p.limit)
	}
	return p.timer.C
}

func (p *patience) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
}
