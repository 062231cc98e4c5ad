package attach

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Stored reads all objects of a definition in pages, at a served version; "" is the storage
// version, or the first served one if that is not served. The last element is an error if reading
// failed, or if the definition was deleted meanwhile.
func (c *reader) Stored(ctx context.Context, crd *apiextensions.CustomResourceDefinition, version string) iter.Seq2[json.RawMessage, error] {
	if version == "" {
		version = ReadVersion(crd)
	}
	return func(yield func(json.RawMessage, error) bool) {
		for page, err := range pagesAt(c, crd, once, version).all(ctx) {
			if err != nil {
				yield(nil, c.unless(ctx, crd, requested(crd, err, "listing "+crd.Name+" at "+version)))
				return
			}
			for i := range page.Items {
				text, err := page.Items[i].MarshalJSON()
				if !yield(text, err) || err != nil {
					return
				}
			}
		}
		if err := c.unless(ctx, crd, nil); err != nil {
			yield(nil, err)
		}
	}
}

// pagesAt returns the pages of the objects of a definition at some versions.
func pagesAt(c *reader, crd *apiextensions.CustomResourceDefinition, e effort, versions ...string) *pages[*unstructured.UnstructuredList] {
	l := &pages[*unstructured.UnstructuredList]{limit: storedPage, effort: e}
	for _, version := range versions {
		l.at = append(l.at, c.objects(crd, version).List)
	}
	return l
}

// unless returns the error of a list, unless the definition is not there any more: then the list is of
// no definition, or of another.
func (c *reader) unless(ctx context.Context, crd *apiextensions.CustomResourceDefinition, err error) error {
	if _, now := c.current(ctx, crd); errors.As(now, new(gone)) {
		return now
	}
	return err
}

// ReadVersion returns the version at which Stored reads the objects of a definition by default.
func ReadVersion(crd *apiextensions.CustomResourceDefinition) string {
	if version := storage(crd); slices.Contains(served(crd), version) || len(served(crd)) == 0 {
		return version
	}
	return served(crd)[0]
}

// Served returns the served versions of a target's definition.
func Served(crd *apiextensions.CustomResourceDefinition) []string { return served(crd) }
