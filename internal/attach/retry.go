package attach

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	// maxRetries bounds the attempts for one request that an API server may answer later.
	maxRetries = 5
	// maxNamed bounds the objects that an error names.
	maxNamed = 10
)

// later reports whether an API server may answer the same request later.
func later(err error) bool {
	return apierrors.IsTooManyRequests(err) || apierrors.IsServiceUnavailable(err) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsInternalError(err)
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
