package attach

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

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
