package watch

import "time"

// pending is a change that has not been reported yet. The zero value means that there is none.
type pending struct {
	since   time.Time // when it began
	due     time.Time // when it is to be passed on
	certain bool      // whether to report it even if the fingerprint is the same
}

// note adds an event. It delays the report until the directory has been quiet, but not beyond max
// after the first event.
func (p *pending) note(now time.Time, quiet, max time.Duration, certain bool) {
	if p.since.IsZero() {
		p.since = now
	}
	p.due = now.Add(quiet)
	if last := p.since.Add(max); last.Before(p.due) {
		p.due = last
	}
	p.certain = p.certain || certain
}

// soon makes a change pending that is reported after a pause, or earlier if an event makes it due.
func (p *pending) soon(now time.Time, pause time.Duration) {
	*p = pending{since: now, due: now.Add(pause), certain: true}
}
