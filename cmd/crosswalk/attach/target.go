package attach

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/compat"
)

// Target is an object with a spec.conversion: a CustomResourceDefinition, or a Crossplane
// CompositeResourceDefinition, which Crossplane copies into the definitions that it makes of it.
type Target struct {
	Name string
	// Definitions are the CustomResourceDefinition itself, or those that Crossplane makes.
	Definitions []*apiextensions.CustomResourceDefinition

	resource schema.GroupVersionResource
	object   *unstructured.Unstructured
}

// Find returns the target for a name: "crontabs.stable.example.com", "CronTab.stable.example.com",
// or "xrd/NAME" for a CompositeResourceDefinition, "xrd.v2/NAME" at a version. If Crossplane made the named
// CustomResourceDefinition, the target is its CompositeResourceDefinition, because Crossplane
// would undo a change of the former. Everybody who may edit the CustomResourceDefinition can write
// the ownerReference that says so. It therefore counts only if the CompositeResourceDefinition
// confirms it; otherwise the target is the CustomResourceDefinition itself.
func (c *reader) Find(ctx context.Context, name string) (*Target, error) {
	kind, rest, slash := strings.Cut(name, "/")
	if !slash {
		kind, rest = "crd", name
	}
	switch strings.ToLower(kind) {
	case "xrd.v1", "xrd.v2":
		return c.findXRD(ctx, rest, strings.ToLower(kind)[len("xrd."):])
	case "xrd", "compositeresourcedefinition", xrdPlural + "." + xrdGroup:
		storage, err := c.storageVersion(ctx, xrdPlural+"."+xrdGroup)
		if err != nil {
			return nil, fmt.Errorf("reading the version of Crossplane's API: %w", err)
		}
		return c.findXRD(ctx, rest, storage)
	case "crd", "customresourcedefinition", "customresourcedefinition.apiextensions.k8s.io":
	default:
		return nil, fmt.Errorf("%q must be the name of a CustomResourceDefinition, or xrd/NAME", name)
	}
	object, err := c.findCRD(ctx, rest)
	if err != nil {
		return nil, err
	}
	return c.target(ctx, object)
}

// FindDefinition returns the target of the CustomResourceDefinition with exactly this name. Find would
// take another definition for one that was just deleted: a short name of any definition of the group
// can be the plural of this one.
func (c *reader) FindDefinition(ctx context.Context, name string) (*Target, error) {
	object, err := c.dynamic.Resource(crdResource).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return c.target(ctx, object)
}

// target returns the target that a CustomResourceDefinition leads to.
func (c *reader) target(ctx context.Context, object *unstructured.Unstructured) (*Target, error) {
	if composite, err := c.composite(ctx, object); composite != nil || err != nil {
		return composite, err
	}
	crd, err := decode[apiextensions.CustomResourceDefinition](object)
	if err != nil {
		return nil, err
	}
	return &Target{crd.Name, []*apiextensions.CustomResourceDefinition{crd}, crdResource, object}, nil
}

// findCRD reads a CustomResourceDefinition by its name or by KIND.GROUP.
func (c *reader) findCRD(ctx context.Context, name string) (*unstructured.Unstructured, error) {
	client := c.dynamic.Resource(crdResource)
	object, err := client.Get(ctx, strings.ToLower(name), metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return object, err
	}
	kind, group, _ := strings.Cut(name, ".")
	var found []string
	err = c.eachCRD(ctx, func(crd *apiextensions.CustomResourceDefinition) bool {
		names := crd.Spec.Names
		if (group == "" || crd.Spec.Group == group) && slices.ContainsFunc(append([]string{names.Kind, names.Plural, names.Singular}, names.ShortNames...),
			func(n string) bool { return strings.EqualFold(n, kind) }) {
			found = append(found, crd.Name)
		}
		return true
	})
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("CustomResourceDefinition %q: %w; its name is PLURAL.GROUP, and kubectl get crds lists all", name, errNotFound)
	case len(found) > 1:
		return nil, fmt.Errorf("%q is ambiguous: it can be %s", name, strings.Join(found, " or "))
	}
	return client.Get(ctx, found[0], metav1.GetOptions{})
}

// storageVersion returns the version in which a CustomResourceDefinition stores its objects.
func (c *reader) storageVersion(ctx context.Context, name string) (string, error) {
	crd, err := read[apiextensions.CustomResourceDefinition](ctx, c.dynamic, crdResource, "", name)
	if err != nil {
		return "", err
	}
	return storage(crd), nil
}

// refresh reads the target again.
func (c *reader) refresh(ctx context.Context, t *Target) (*Target, error) {
	if t.resource == crdResource {
		return c.FindDefinition(ctx, t.Name)
	}
	return c.findXRD(ctx, t.Name, t.resource.Version)
}

// String names the target as kubectl does.
func (t *Target) String() string {
	if t.Composite() {
		return "compositeresourcedefinition/" + t.Name
	}
	return DefinitionName(t.Name)
}

// DefinitionName is the String of the target that a CustomResourceDefinition is.
func DefinitionName(name string) string { return "customresourcedefinition/" + name }

// Conversion returns the target's spec.conversion; nil if it has none or one that cannot be read.
func (t *Target) Conversion() *apiextensions.CustomResourceConversion {
	content, there, err := unstructured.NestedMap(t.object.Object, "spec", "conversion")
	if err != nil || !there {
		return nil
	}
	text, err := json.Marshal(content)
	if err != nil {
		return nil
	}
	conversion := &apiextensions.CustomResourceConversion{}
	if json.Unmarshal(text, conversion) != nil {
		return nil
	}
	return conversion
}

// Annotated reports whether the target has the annotation by which the controller keeps it attached.
func (t *Target) Annotated() bool { return t.object.GetAnnotations()[Annotation] == asked }

// Lost reports whether the target has neither the annotation, with any value, nor a webhook: somebody
// replaced it, or made it again. Who detaches a target leaves the annotation, and who only takes the
// annotation away leaves the stanza.
func (t *Target) Lost() bool {
	_, says := t.object.GetAnnotations()[Annotation]
	conversion := t.Conversion()
	return !says && (conversion == nil || conversion.Strategy != apiextensions.WebhookConverter)
}

// controlled reports whether the controller keeps the target attached, or has kept it. Then a
// detached target needs the annotation: the controller and the admission policies give the stanza
// back to one that has lost both.
func (t *Target) controlled() bool {
	annotations := t.object.GetAnnotations()
	return annotations[Annotation] != "" || annotations[StatusAnnotation] != ""
}

// UID identifies the target: one that is deleted and made again has another.
func (t *Target) UID() types.UID { return t.object.GetUID() }

// Annotations are the target's annotations.
func (t *Target) Annotations() map[string]string { return t.object.GetAnnotations() }

// Owners returns the field managers, other than this package's, that own a part of
// spec.conversion, sorted.
func (t *Target) Owners() []string {
	owners := ownersOf(t.object.GetManagedFields(), "f:conversion")
	return slices.DeleteFunc(owners, func(manager string) bool { return manager == Manager })
}

// ownersOf returns the managers that own a field below spec, or a part of it, sorted.
func ownersOf(entries []metav1.ManagedFieldsEntry, path ...string) (owners []string) {
	for _, entry := range entries {
		var fields map[string]any
		if entry.FieldsV1 == nil || entry.Subresource != "" || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		_, owns, err := unstructured.NestedFieldNoCopy(fields, append([]string{"f:spec"}, path...)...)
		if owns && err == nil && !slices.Contains(owners, entry.Manager) {
			owners = append(owners, entry.Manager)
		}
	}
	slices.Sort(owners)
	return owners
}

// storage returns the version in which new objects are stored.
func storage(crd *apiextensions.CustomResourceDefinition) string {
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

// versions returns the names of some versions, in the order of the definition.
func versions(crd *apiextensions.CustomResourceDefinition, which func(apiextensions.CustomResourceDefinitionVersion) bool) (names []string) {
	for _, v := range crd.Spec.Versions {
		if which(v) {
			names = append(names, v.Name)
		}
	}
	return names
}

// named returns all versions of a definition.
func named(crd *apiextensions.CustomResourceDefinition) []string {
	return versions(crd, func(apiextensions.CustomResourceDefinitionVersion) bool { return true })
}

// served returns the served versions.
func served(crd *apiextensions.CustomResourceDefinition) []string {
	return versions(crd, func(v apiextensions.CustomResourceDefinitionVersion) bool { return v.Served })
}

// used returns the versions that conversions can come from or lead to: the served ones, and those
// that stored objects can have.
func used(crd *apiextensions.CustomResourceDefinition) []string {
	return versions(crd, func(v apiextensions.CustomResourceDefinitionVersion) bool {
		return v.Served || v.Storage || slices.Contains(crd.Status.StoredVersions, v.Name)
	})
}

// needed returns why the objects of a definition need a webhook that converts them, in words; "" if an API
// server can read them at each used version without one. All commands ask here: a webhook beside it, or
// several versions, say nothing of that.
func needed(ctx context.Context, crd *apiextensions.CustomResourceDefinition) string {
	change, err := compat.NeedsConversion(ctx, crd, used(crd))
	switch {
	case err != nil:
		return err.Error()
	case change == nil:
		return ""
	}
	return fmt.Sprintf("%s and %s differ: %s: %s", change.Version, change.To, cmp.Or(change.Path, "the object"), change.Text)
}

// objects returns a client for the objects of a definition at a version, in all namespaces.
func (c *reader) objects(crd *apiextensions.CustomResourceDefinition, version string) dynamic.NamespaceableResourceInterface {
	return c.dynamic.Resource(objectsResource(crd, version))
}

func objectsResource(crd *apiextensions.CustomResourceDefinition, version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: crd.Spec.Group, Version: version, Resource: crd.Spec.Names.Plural}
}

// label names a kind as the gateway does: "CronTab.stable.example.com".
func label(crd *apiextensions.CustomResourceDefinition) string {
	return crd.Spec.Names.Kind + "." + crd.Spec.Group
}

// Object returns the target for events about it.
func (t *Target) Object() *unstructured.Unstructured { return t.object }
