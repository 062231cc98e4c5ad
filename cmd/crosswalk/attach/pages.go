package attach

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The most objects in a page: of metadata, and of objects, which can have 1.5 MB each.
const (
	metadataPage = 500
	storedPage   = 100
)

// pages reads all objects of a kind in pages.
type pages[L metav1.ListInterface] struct {
	at     []func(context.Context, metav1.ListOptions) (L, error) // one for each version, in order of preference
	next   string                                                 // the token of the next page; empty at the begin and at the end
	limit  int64                                                  // objects in a page
	effort effort
}

// effort is what pages does about a page that it cannot read.
type effort int

const (
	once    effort = iota // fail
	halving               // find the objects that can be read, as page says
	patient               // that, and ask an API server again that may answer later
)

// all returns the pages, up to the first error. next is the token after the page that it returned.
func (l *pages[L]) all(ctx context.Context) iter.Seq2[L, error] {
	return func(yield func(L, error) bool) {
		for first := true; first || l.next != ""; first = false {
			page, err := l.page(ctx)
			if err == nil {
				l.next = page.GetContinue()
			}
			if !yield(page, err) || err != nil {
				return
			}
		}
	}
}

// page returns the next page. One object that does not convert makes the LIST of its page fail. An API
// server converts only the objects that are stored in another version than the one that it lists, and
// its tokens are good for all versions: so a page that one version cannot list is listed at another. If
// none can, the page is halved, down to one object, which can be read at least at the version in which
// it is stored, if that is served.
func (l *pages[L]) page(ctx context.Context) (L, error) {
	p := new(patience)
	for limit := l.limit; ; {
		page, err := l.list(ctx, limit)
		switch {
		case err == nil || l.effort == once || ctx.Err() != nil || fromInvalid.MatchString(err.Error()):
			return page, err
		case limit > 1 && unreadable(err):
			limit /= 2
			continue
		case l.effort == halving:
			return page, err
		}
		if err := p.again(ctx, err); err != nil {
			return page, err
		}
	}
}

// list lists at the first version, and at the next ones while an object may be at fault. A list that
// began before the last compaction of etcd goes on with the present state, in which all new objects
// have the storage version. The error is the first version's.
func (l *pages[L]) list(ctx context.Context, limit int64) (page L, first error) {
	for _, list := range l.at {
		page, err := list(ctx, metav1.ListOptions{Limit: limit, Continue: l.next})
		if again := outdated(err); again != "" {
			l.next = again
			page, err = list(ctx, metav1.ListOptions{Limit: limit, Continue: l.next})
		}
		if err == nil {
			return page, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil || !unreadable(err) {
			break
		}
	}
	return page, first
}

// left says how many objects follow a page, if the API server knows.
func left(page metav1.ListInterface, more string) string {
	if n := page.GetRemainingItemCount(); n != nil && *n > 0 {
		return fmt.Sprintf(", about %d %s", *n, more)
	}
	return ""
}

// readableVersions lists the served versions, at least one, the storage version first: most objects are
// stored there.
func readableVersions(crd *apiextensions.CustomResourceDefinition) ([]string, error) {
	versions := served(crd)
	if len(versions) == 0 {
		return nil, fmt.Errorf("%s serves no version, so no client can read its objects: serve one", crd.Name)
	}
	if i := slices.Index(versions, storage(crd)); i > 0 {
		versions[0], versions[i] = versions[i], versions[0]
	}
	return versions, nil
}

// unreadable reports whether an object of a list may be at fault.
func unreadable(err error) bool {
	return apierrors.IsStoreReadError(err) || apierrors.IsInternalError(err) // with a watch cache, or without the reason
}

// outdated returns the token with which an API server lets an outdated list go on; "" if the error
// is another one.
func outdated(err error) string {
	var status apierrors.APIStatus
	if !apierrors.IsResourceExpired(err) || !errors.As(err, &status) {
		return ""
	}
	return status.Status().Continue
}
