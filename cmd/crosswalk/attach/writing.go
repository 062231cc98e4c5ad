package attach

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
)

// writing writes objects, some at the same time: far from the API server, the way there and back would
// bound the rate.
type writing struct {
	pace *rate.Limiter

	mu       sync.Mutex // guards what follows
	done     int
	failures int
	failed   []string // the first of them
}

func newWriting(perSecond float64) *writing {
	return &writing{pace: rate.NewLimiter(rate.Limit(perSecond), max(1, int(perSecond/10)))}
}

// meetsAll is an error that all other objects would meet, too.
type meetsAll struct{ error }

// Unwrap returns the error itself.
func (m meetsAll) Unwrap() error { return m.error }

// page writes the objects of a page. write reports whether it wrote one. An error says that not all were
// tried.
func (w *writing) page(ctx context.Context, objects []metav1.PartialObjectMetadata, write func(context.Context, *metav1.PartialObjectMetadata) (bool, error)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for i := range objects {
		group.Go(func() error {
			o := &objects[i]
			if ctx.Err() != nil {
				return ctx.Err()
			}
			wrote, err := write(ctx, o)
			switch {
			case err != nil && ctx.Err() != nil:
				return ctx.Err()
			case errors.As(err, new(meetsAll)):
				return err
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if wrote {
				w.done++
			}
			if err == nil {
				return nil
			}
			if w.failures++; w.failures <= maxNamed {
				w.failed = append(w.failed, fmt.Sprintf("%s: %v", strings.TrimPrefix(o.Namespace+"/"+o.Name, "/"), err))
			} else if w.failures == maxNamed+1 {
				w.failed = append(w.failed, "and others")
			}
			return nil
		})
	}
	return group.Wait()
}

// err names the objects that could not be written, and says what follows; nil if all were.
func (w *writing) err(follows string) error {
	if w.failures == 0 {
		return nil
	}
	errs := []error{fmt.Errorf("%w%s", ErrObjects, follows)}
	for _, text := range w.failed {
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}

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

const (
	// maxRetries bounds the attempts for one request that an API server may answer later.
	maxRetries = 5
	// maxNamed bounds the objects that an error names.
	maxNamed = 10
)

// later reports whether an API server may answer the same request later.
func later(err error) bool {
	return unreached(err) || apierrors.IsStoreReadError(err) || apierrors.IsTooManyRequests(err) || apierrors.IsServiceUnavailable(err) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsInternalError(err)
}

// unreached reports whether a request reached no API server, or lost the one that it reached, as when that
// is restarted.
func unreached(err error) bool {
	return utilnet.IsConnectionRefused(err) || utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err)
}

// restartTime is how long a request is repeated that reaches no API server: the only one of a cluster is
// back within half a minute after a restart.
const restartTime = time.Minute

// patience counts the attempts for one request.
type patience struct {
	attempts int       // that an API server answered
	since    time.Time // of the first attempt in a row that reached no API server
}

// again waits before the next attempt. It returns the request's error if there is to be none, or the
// error of the context.
func (p *patience) again(ctx context.Context, err error) error {
	switch {
	case !later(err):
		return err
	case !unreached(err):
		p.since = time.Time{}
		if p.attempts++; p.attempts == maxRetries {
			return err
		}
		return sleep(ctx, time.Duration(p.attempts)*time.Second)
	case p.since.IsZero():
		p.since = time.Now()
	case time.Since(p.since) > restartTime:
		return err
	}
	return sleep(ctx, time.Second)
}

// sleep waits. It returns the error of the context if that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

const (
	// maxConflicts bounds the attempts for one object that others write at the same time.
	maxConflicts = 20
	// writers is the number of objects that are written at the same time: reading and writing one is
	// two round trips.
	writers = 8
)

// settleTime is the time that API servers get to notice a changed definition: they do within a
// second.
const settleTime = 3 * time.Second
