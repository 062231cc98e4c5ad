package attach

import (
	"context"
	"errors"

	"github.com/crosswalk-gateway/crosswalk/internal/plural"
)

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
