package attach

import "time"

// progressTime is the interval of progress lines while nothing else is reported.
const progressTime = 10 * time.Second

// Progress is the state of a migration, or of a measurement.
type Progress struct {
	Text string // for people
	Done int    // objects rewritten here so far, and those that had changed or gone
}

// progress reports a line now and then.
type progress struct {
	report func(Progress) // nil: nothing is reported
	quiet  time.Duration  // between two lines
	last   time.Time
}

// line reports a state, unless the last one was a short time ago.
func (p *progress) line(state func() Progress) (reported bool) {
	if p.report == nil || time.Since(p.last) < p.quiet {
		return false
	}
	p.report(state())
	p.last = time.Now()
	return true
}
