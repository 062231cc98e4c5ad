package attach

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"golang.org/x/time/rate"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
)

// Inspection is the result of converting the stored objects of a definition.
type Inspection struct {
	Versions []string // between which each object was converted
	Objects  int      // converted to each version and back
	Bad      []Bad    // the objects that do not convert
	Partial  bool     // there may be more: the inspection ended early

	seen map[types.UID]string // the resourceVersion of each inspected object
}

// Bad is a stored object that does not convert.
type Bad struct{ Object, Why string }

// Inspect converts all stored objects of a definition to every used version and back, as the API
// server does with a stanza. It stops after some bad objects, and changes nothing. perSecond bounds
// the objects in a second; 0 = no bound. An error means that the objects could not be inspected, not
// that one of them is bad.
func (c *examiner) Inspect(ctx context.Context, crd *apiextensions.CustomResourceDefinition, conversion *apiextensions.CustomResourceConversion, most, perSecond int) (*Inspection, error) {
	i := &Inspection{Versions: used(crd), seen: map[types.UID]string{}}
	return i, c.inspect(ctx, crd, conversion, most, perSecond, i)
}

// inspect adds the objects that changed since the last inspection.
func (c *examiner) inspect(ctx context.Context, crd *apiextensions.CustomResourceDefinition, conversion *apiextensions.CustomResourceConversion, most, perSecond int, into *Inspection) error {
	pace := rate.NewLimiter(rate.Inf, 1)
	if perSecond > 0 {
		pace = rate.NewLimiter(rate.Limit(perSecond), perSecond)
	}
	planned := crd.DeepCopy()
	planned.Spec.Conversion = conversion
	converter, err := c.converter(ctx, planned, nil)
	if err != nil {
		return err
	}
	defer converter.close()
	for read, err := range c.readable(ctx, crd) {
		if err != nil {
			return err
		}
		bad := read.bad
		if o := read.object; o != nil {
			if before, there := into.seen[o.GetUID()]; there && before == o.GetResourceVersion() {
				continue
			}
			into.seen[o.GetUID()] = o.GetResourceVersion()
			if err := pace.Wait(ctx); err != nil {
				return err
			}
			if bad, err = converter.bad(ctx, crd, o); err != nil {
				return err
			}
		}
		if bad == nil {
			into.Objects++
			continue
		}
		into.Bad = append(into.Bad, *bad)
		if into.Partial = len(into.Bad) >= most || read.object == nil; into.Partial {
			return nil
		}
	}
	return nil
}

// bad converts an object to each used version and back, and says why that fails. An error is not
// the object's fault.
func (v *converter) bad(ctx context.Context, crd *apiextensions.CustomResourceDefinition, o *unstructured.Unstructured) (*Bad, error) {
	o.SetManagedFields(nil) // not an input of conversions
	err := thereAndBack(ctx, o, crd.Spec.Group, used(crd), v.convert)
	switch {
	case err == nil:
		return nil, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &unreachable{}):
		return nil, fmt.Errorf("converting %s: %w", title(o), err)
	}
	return &Bad{title(o), err.Error()}, nil
}

// inspected is a stored object, or the failure of reading one that no version can show.
type inspected struct {
	object *unstructured.Unstructured
	bad    *Bad
}

// readable reads all objects of a definition. If no version shows one, it is the last element: API
// servers give no token to go on.
func (c *reader) readable(ctx context.Context, crd *apiextensions.CustomResourceDefinition) iter.Seq2[inspected, error] {
	return func(yield func(inspected, error) bool) {
		versions, err := readableVersions(crd)
		if err != nil {
			yield(inspected{}, err)
			return
		}
		for page, err := range pagesAt(c, crd, halving, versions...).all(ctx) {
			switch {
			case err != nil && webhookFailed(err.Error()):
				yield(inspected{bad: &Bad{"an object that no served version shows", err.Error()}}, nil)
				return
			case err != nil:
				yield(inspected{}, requested(crd, err, "listing "+crd.Name))
				return
			}
			for i := range page.Items {
				if !yield(inspected{object: &page.Items[i]}, nil) {
					return
				}
			}
		}
	}
}

// String says the result in words.
func (i *Inspection) String() string {
	var lines []string
	for _, b := range i.Bad[:min(len(i.Bad), maxNamed)] {
		lines = append(lines, b.Object+": "+b.Why)
	}
	switch more := len(i.Bad) - maxNamed; {
	case i.Partial:
		lines = append(lines, "the inspection ended there")
	case more > 0:
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(append(lines, fmt.Sprintf("%s converted between %s and back", plural.Count(i.Objects, "object"), strings.Join(i.Versions, ", "))), "\n")
}
