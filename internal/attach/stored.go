package attach

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// storedPage is the number of objects that are in memory at once. Each can have 1.5 MB.
const storedPage = 100

// reader reads the objects of definitions.
type reader struct {
	finder
	config *rest.Config // nil: only the client of finder
}

// Stored reads all objects of a definition in pages, at a served version; "" is the storage
// version, or the first served one if that is not served. The last element is an error if reading
// failed.
func (c *reader) Stored(ctx context.Context, crd *apiextensions.CustomResourceDefinition, version string) iter.Seq2[json.RawMessage, error] {
	if version == "" {
		if version = storage(crd); !slices.Contains(served(crd), version) && len(served(crd)) > 0 {
			version = served(crd)[0]
		}
	}
	return func(yield func(json.RawMessage, error) bool) {
		options := metav1.ListOptions{Limit: storedPage}
		for {
			page, err := c.objects(crd, version).List(ctx, options)
			if again := outdated(err); again != "" { // the list goes on with the present state
				options.Continue = again
				continue
			}
			if err != nil {
				yield(nil, fmt.Errorf("listing %s at %s: %w", crd.Name, version, err))
				return
			}
			for i := range page.Items {
				text, err := page.Items[i].MarshalJSON()
				if !yield(text, err) || err != nil {
					return
				}
			}
			if options.Continue = page.GetContinue(); options.Continue == "" {
				return
			}
		}
	}
}

// Served returns the served versions of a target's definition.
func Served(crd *apiextensions.CustomResourceDefinition) []string { return served(crd) }
