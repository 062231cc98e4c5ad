package attach

import (
	"context"
	"errors"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
)

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

// Interrupted is the error of a migration that ended early. Its text says what is done, and how another
// run goes on.
type Interrupted struct {
	Continue string // for Migration.Continue; empty: another run begins anew, or it has no use for a token
	Done     int    // objects that are written
	How      string // how to go on, in words
	what     string // what ended the run and what is done, in words before How
	err      error
}

// again is How if another run with the same arguments goes on.
const again = "run the command again to go on"

func (e *Interrupted) Error() string { return e.what + e.How }

func (e *Interrupted) Unwrap() error { return e.err }

// rewritingEnded is the error of a run that rewrote some objects. A run with the token goes on after the
// last complete page without an object that could not be rewritten.
func rewritingEnded(token string, objects int, err error) *Interrupted {
	what := "interrupted after " + plural.Count(objects, "object")
	if !errors.Is(err, context.Canceled) {
		what += ": " + err.Error()
	}
	return &Interrupted{Continue: token, Done: objects, How: again, what: what + "; ", err: err}
}
