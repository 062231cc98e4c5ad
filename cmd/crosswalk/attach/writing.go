package attach

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
