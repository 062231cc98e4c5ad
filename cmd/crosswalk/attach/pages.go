package attach

import (
	"context"
	"errors"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
)

// metadataPage is the most objects listed at once, of which only the metadata is transferred.
const metadataPage = 500

// lister reads the metadata of all objects in pages, although some of the objects cannot be
// converted: one such object makes the LIST of its whole page fail.
type lister struct {
	at    []metadata.Getter // one for each served version, in order of preference
	next  string            // the token of the next page; empty at the begin and at the end
	limit int64             // objects in a page
}

// page returns the next page. An API server converts only the objects that are stored in another
// version than the one that it lists, and its tokens are good for all versions: so a page that one
// version cannot list is listed at another. If none can, the page is halved, down to one object,
// which can be read at least at the version in which it is stored, if that is served.
func (l *lister) page(ctx context.Context) (*metav1.PartialObjectMetadataList, error) {
	p := new(patience)
	for limit := l.limit; ; {
		page, err := l.list(ctx, limit)
		switch {
		case err == nil:
			l.next = page.Continue
			return page, nil
		case ctx.Err() != nil || fromInvalid.MatchString(err.Error()):
			return nil, err
		case limit > 1 && unreadable(err):
			limit /= 2
			continue
		}
		if err := p.again(ctx, err); err != nil {
			return nil, err
		}
	}
}

// list lists at the first version that can. The error is the first version's.
func (l *lister) list(ctx context.Context, limit int64) (*metav1.PartialObjectMetadataList, error) {
	options := metav1.ListOptions{Limit: limit, Continue: l.next}
	page, err := listAtAny(ctx, l.at, &options, func(at metadata.Getter) (*metav1.PartialObjectMetadataList, error) {
		return at.List(ctx, options)
	})
	l.next = options.Continue
	return page, err
}

// listAtAny calls list for the first version, and for the next ones while an object may be at fault.
// A list that began before the last compaction of etcd goes on with the present state, in which all
// new objects have the storage version: options gets its token. The error is the first version's.
func listAtAny[V, L any](ctx context.Context, versions []V, options *metav1.ListOptions, list func(V) (L, error)) (page L, first error) {
	for _, v := range versions {
		page, err := list(v)
		if again := outdated(err); again != "" {
			options.Continue = again
			page, err = list(v)
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

// readableVersions lists the served versions, the storage version first: most objects are stored there.
func readableVersions(crd *apiextensions.CustomResourceDefinition) []string {
	versions := served(crd)
	if i := slices.Index(versions, storage(crd)); i > 0 {
		versions[0], versions[i] = versions[i], versions[0]
	}
	return versions
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
