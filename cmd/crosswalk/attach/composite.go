package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Crossplane's definitions of composites.
const (
	xrdGroup  = "apiextensions.crossplane.io"
	xrdPlural = "compositeresourcedefinitions"
	xrdKind   = "CompositeResourceDefinition"
)

// composite returns the CompositeResourceDefinition that a CustomResourceDefinition was made of; nil
// if there is none. Its UID must be the reference's, and its own names must be those of the
// definition.
func (c *reader) composite(ctx context.Context, crd *unstructured.Unstructured) (*Target, error) {
	owner := metav1.GetControllerOf(crd)
	if owner == nil || owner.Kind != xrdKind {
		return nil, nil
	}
	group, version, _ := strings.Cut(owner.APIVersion, "/")
	if group != xrdGroup {
		return nil, nil
	}
	t, err := c.readXRD(ctx, owner.Name, version)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	case t.object.GetUID() != owner.UID || !slices.Contains(t.made(), crd.GetName()):
		return nil, nil
	}
	return t, c.readDefinitions(ctx, t)
}

// Composites returns those CompositeResourceDefinitions that are wanted; none where Crossplane is not
// installed, or where the caller has no right to list them. A definition of one that cannot be read
// makes an Unread error, beside the targets that can be.
func (c *reader) Composites(ctx context.Context, wanted func(*Target) bool) (targets []*Target, err error) {
	version, err := c.storageVersion(ctx, xrdPlural+"."+xrdGroup)
	if apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("reading the version of Crossplane's API: %w", err)
	}
	resource := schema.GroupVersionResource{Group: xrdGroup, Version: version, Resource: xrdPlural}
	var unread Unread
	for options := (metav1.ListOptions{Limit: 50}); ; {
		page, err := c.dynamic.Resource(resource).List(ctx, options)
		if Forbidden(err) {
			return nil, nil
		} else if err != nil {
			return nil, fmt.Errorf("listing CompositeResourceDefinitions: %w", err)
		}
		for i := range page.Items {
			t := &Target{Name: page.Items[i].GetName(), resource: resource, object: &page.Items[i]}
			if !wanted(t) {
				continue
			}
			if err := c.readDefinitions(ctx, t); err != nil {
				unread.Names, unread.causes = append(unread.Names, t.made()...), append(unread.causes, err)
				continue
			}
			targets = append(targets, t)
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			if len(unread.causes) > 0 {
				return targets, &unread
			}
			return targets, nil
		}
	}
}

// Unread is the error about definitions that cannot be read.
type Unread struct {
	Names  []string // of CustomResourceDefinitions
	causes []error
}

func (u *Unread) Error() string { return errors.Join(u.causes...).Error() }

// Unwrap returns an error for each target.
func (u *Unread) Unwrap() []error { return u.causes }

// findXRD reads a CompositeResourceDefinition and the definitions that Crossplane made of it.
func (c *reader) findXRD(ctx context.Context, name, version string) (*Target, error) {
	t, err := c.readXRD(ctx, name, version)
	if err != nil {
		return nil, err
	}
	return t, c.readDefinitions(ctx, t)
}

// readXRD reads a CompositeResourceDefinition alone.
func (c *reader) readXRD(ctx context.Context, name, version string) (*Target, error) {
	t := &Target{Name: name, resource: schema.GroupVersionResource{Group: xrdGroup, Version: version, Resource: xrdPlural}}
	var err error
	if t.object, err = c.dynamic.Resource(t.resource).Get(ctx, name, metav1.GetOptions{}); err != nil {
		return nil, fmt.Errorf("reading CompositeResourceDefinition %s: %w", name, err)
	}
	return t, nil
}

// made returns the names of the definitions that Crossplane makes of a CompositeResourceDefinition:
// one for the composite, and one for its claims if it has any.
func (t *Target) made() (names []string) {
	group, _, _ := unstructured.NestedString(t.object.Object, "spec", "group")
	for _, field := range []string{"names", "claimNames"} {
		if plural, _, _ := unstructured.NestedString(t.object.Object, "spec", field, "plural"); plural != "" {
			names = append(names, plural+"."+group)
		}
	}
	return names
}

// readDefinitions reads the definitions that Crossplane made of a CompositeResourceDefinition. It
// refuses those of another owner: a CompositeResourceDefinition can have any names.
func (c *reader) readDefinitions(ctx context.Context, t *Target) error {
	for _, name := range t.made() {
		crd, err := read[apiextensions.CustomResourceDefinition](ctx, c.dynamic, crdResource, "", name)
		if err != nil {
			return fmt.Errorf("reading the CustomResourceDefinition that Crossplane makes of %s: %w", t.Name, err)
		}
		if !metav1.IsControlledBy(crd, t.object) {
			return fmt.Errorf("CompositeResourceDefinition %s has the names of CustomResourceDefinition %s, which Crossplane did not make of it (its controller is another): change the names", t.Name, name)
		}
		t.Definitions = append(t.Definitions, crd)
	}
	return nil
}

// Composite reports whether the target is a CompositeResourceDefinition.
func (t *Target) Composite() bool { return t.resource != crdResource }

// injectPrefix begins the annotations by which cert-manager's cainjector fills in a caBundle.
const injectPrefix = "cert-manager.io/inject-"

// injected is nil if cainjector leaves the definitions of a CompositeResourceDefinition alone. It does
// not know CompositeResourceDefinitions, and in the definition that Crossplane makes of one, both write
// the caBundle in turns.
func (t *Target) injected() error {
	if !t.Composite() {
		return nil
	}
	for _, crd := range t.Definitions {
		for name := range crd.Annotations {
			if strings.HasPrefix(name, injectPrefix) {
				return fmt.Errorf("%s has the annotation %s: cert-manager would fill in caBundle, and Crossplane would overwrite it with that of %s, in turns; "+
					"remove the annotation, also from spec.metadata.annotations of %s, and let attach write the CA", crd.Name, name, t, t)
			}
		}
	}
	return nil
}
