package watch

import "time"

// pending is a change that has not been passed on yet. The zero value is none.
type pending struct {
	since   time.Time // when it began
	due     time.Time // when it is to be passed on
	certain bool      // whether to pass it on whatever the fingerprint says
}

// note adds something that happened now: what is pending is put off until it has been quiet, but not beyond max after its
// beginning.
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

// soon makes a change pending that is passed on after a pause, if nothing happens that makes it sooner.
func (p *pending) soon(now time.Time, pause time.Duration) {
	*p = pending{since: now, due: now.Add(pause), certain: true}
}
