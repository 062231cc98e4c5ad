package attach

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// carrier carries entries of metadata.managedFields from one version to another. The fields that an
// entry owns, cut out of the object, are a fragment of an object. Converted, they are the fields
// that the manager owns at the other version.
type carrier struct {
	crd     *apiextensions.CustomResourceDefinition
	to      string
	types   managedfields.TypeConverter
	convert func(o *unstructured.Unstructured, to string) (*unstructured.Unstructured, error)
	// nothing has by version the fields that a conversion makes of an object without fields. No
	// manager owns them.
	nothing map[string]*typed.TypedValue
}

// Dropped is an entry that could not be carried over as a whole.
type Dropped struct {
	Object string
	Writer string // the manager, its operation and version
	Fields string // "all", or those that were dropped
	Reason string
}

func (d Dropped) String() string {
	return fmt.Sprintf("%s: %s: dropped %s: %s", d.Object, d.Writer, d.Fields, d.Reason)
}

// newCarrier reads the schemas of all versions, by which server-side apply divides objects into
// fields. Fields that a schema does not name are allowed: a conversion's answer is not pruned here.
func newCarrier(crd *apiextensions.CustomResourceDefinition, to string, convert func(*unstructured.Unstructured, string) (*unstructured.Unstructured, error)) (*carrier, error) {
	models := map[string]*spec.Schema{}
	for _, v := range crd.Spec.Versions {
		model := &spec.Schema{}
		if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
			text, err := json.Marshal(v.Schema.OpenAPIV3Schema)
			if err != nil {
				return nil, err
			}
			if err := json.Unmarshal(text, model); err != nil {
				return nil, fmt.Errorf("reading the schema of %s %s: %w", crd.Name, v.Name, err)
			}
		}
		model.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{"group": crd.Spec.Group, "version": v.Name, "kind": crd.Spec.Names.Kind}})
		models[v.Name] = model
	}
	types, err := managedfields.NewTypeConverter(models, true)
	if err != nil {
		return nil, fmt.Errorf("reading the schemas of %s: %w", crd.Name, err)
	}
	return &carrier{crd, to, types, convert, map[string]*typed.TypedValue{}}, nil
}

func (c *carrier) typed(o runtime.Object) (*typed.TypedValue, error) {
	return c.types.ObjectToTyped(o, typed.AllowDuplicates)
}

// carry returns the managedFields of an object, which is read at the version c.to, without an entry
// at a version for which leaves is true. Errors that are not of one entry are returned: the object
// is left alone then.
func (c *carrier) carry(o *unstructured.Unstructured, leaves func(version string) bool) ([]metav1.ManagedFieldsEntry, []Dropped, error) {
	entries := o.GetManagedFields()
	live := o.DeepCopy()
	live.SetManagedFields(nil)
	var kept []metav1.ManagedFieldsEntry
	var dropped []Dropped
	for _, e := range entries {
		if !leaves(entryVersion(e)) {
			kept = append(kept, e)
		}
	}
	sources := map[string]*unstructured.Unstructured{} // the object, by version
	for _, e := range entries {
		version := entryVersion(e)
		if !leaves(version) {
			continue
		}
		writer := fmt.Sprintf("%s (%s) at %s", e.Manager, e.Operation, version)
		drop := func(fields, reason string) {
			dropped = append(dropped, Dropped{title(o), writer, fields, reason})
		}
		owned, err := fieldSet(e)
		if err != nil {
			drop("all", err.Error())
			continue
		}
		fields := metadataOf(owned, live)
		switch carried, lost, err := c.fields(live, version, owned, sources); {
		case refusal(err):
			drop("all", err.Error())
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", writer, err)
		default:
			fields = fields.Union(carried)
			if lost.Empty() {
				break
			}
			reason := "the value also depends on fields that the manager does not own"
			if !c.names(version) {
				reason = "the definition does not name " + version + ", and the object has no such field"
			}
			drop(names(lost), reason)
		}
		if fields.Empty() {
			continue
		}
		e.APIVersion = c.crd.Spec.Group + "/" + c.to
		if kept, err = insert(kept, e, fields); err != nil {
			return nil, nil, err
		}
	}
	if len(kept) == 0 {
		// Without any entry, the next apply would make one of a manager "before-first-apply" with all
		// fields, and fail with a conflict.
		var err error
		seed := metav1.ManagedFieldsEntry{Manager: Manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: c.crd.Spec.Group + "/" + c.to}
		if kept, err = insert(nil, seed, fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "name"))); err != nil {
			return nil, nil, err
		}
	}
	return kept, dropped, nil
}

// fields returns the fields outside of metadata that the owner of a set owns at c.to, and those that
// have another value in the converted fragment than in the object.
func (c *carrier) fields(live *unstructured.Unstructured, version string, owned *fieldpath.Set, sources map[string]*unstructured.Unstructured) (carried, lost *fieldpath.Set, err error) {
	carried, lost = fieldpath.NewSet(), fieldpath.NewSet()
	if content(owned).Empty() && !ownsNames(owned) {
		return carried, lost, nil
	}
	now, err := c.typed(live)
	if err != nil {
		return nil, nil, unreadableFields{err}
	}
	present, err := now.ToFieldSet()
	if err != nil {
		return nil, nil, unreadableFields{err}
	}
	if !c.names(version) { // no schema and no conversion: fields of the same name are the same
		carried = content(owned).Intersection(present)
		return carried, content(owned).Leaves().Difference(present), nil
	}
	if sources[version] == nil {
		if sources[version], err = c.convert(live, version); err != nil {
			return nil, nil, err
		}
	}
	fragment, err := c.cut(sources[version], owned)
	if err != nil {
		return nil, nil, err
	}
	converted, err := c.convert(fragment, c.to)
	if err != nil {
		return nil, nil, err
	}
	made, err := c.typed(converted)
	if err != nil {
		return nil, nil, unreadableFields{err}
	}
	all, err := made.ToFieldSet()
	if err != nil {
		return nil, nil, unreadableFields{err}
	}
	compared, err := now.Compare(made)
	if err != nil {
		return nil, nil, unreadableFields{err}
	}
	nothing, same, err := c.unowned(version, made)
	if err != nil {
		return nil, nil, err
	}
	kept := content(all).Intersection(present).Difference(compared.Modified).Difference(same.Difference(owned))
	return withParents(kept, owned), content(compared.Modified).Leaves().Difference(nothing), nil
}

// unowned returns the fields that a conversion makes of an object without fields, and those of them
// that a converted fragment has with the same value.
func (c *carrier) unowned(version string, made *typed.TypedValue) (all, same *fieldpath.Set, err error) {
	if _, ok := c.nothing[version]; !ok {
		converted, err := c.convert(bare(c.crd, version), c.to)
		if refusal(err) {
			converted = bare(c.crd, c.to)
		} else if err != nil {
			return nil, nil, err
		}
		if c.nothing[version], err = c.typed(converted); err != nil {
			return nil, nil, unreadableFields{err}
		}
	}
	if all, err = c.nothing[version].ToFieldSet(); err != nil {
		return nil, nil, unreadableFields{err}
	}
	compared, err := c.nothing[version].Compare(made)
	if err != nil {
		return nil, nil, unreadableFields{err}
	}
	all = content(all).Leaves()
	return all, all.Difference(compared.Modified).Difference(compared.Removed), nil
}

// cut returns the fragment of an object that has some fields.
func (c *carrier) cut(o *unstructured.Unstructured, owned *fieldpath.Set) (*unstructured.Unstructured, error) {
	value, err := c.typed(o)
	if err != nil {
		return nil, unreadableFields{err}
	}
	fragment := &unstructured.Unstructured{Object: map[string]any{}}
	if part, ok := value.ExtractItems(owned.Leaves(), typed.WithAppendKeyFields()).AsValue().Unstructured().(map[string]any); ok {
		fragment.Object = runtime.DeepCopyJSON(part)
	}
	labels, annotations := fragment.GetLabels(), fragment.GetAnnotations()
	delete(fragment.Object, "metadata")
	fragment.SetAPIVersion(o.GetAPIVersion())
	fragment.SetKind(o.GetKind())
	fragment.SetName(o.GetName())
	fragment.SetNamespace(o.GetNamespace())
	fragment.SetUID(o.GetUID())
	if len(labels) > 0 {
		fragment.SetLabels(labels)
	}
	if len(annotations) > 0 {
		fragment.SetAnnotations(annotations)
	}
	return fragment, nil
}

// names reports whether the definition names a version.
func (c *carrier) names(version string) bool {
	return slices.Contains(named(c.crd), version)
}

// unreadableFields is the error of an entry whose fields cannot be found in the object.
type unreadableFields struct{ error }

// refusal reports whether an entry cannot be converted, now and later: another webhook answers, or the
// gateway's reason is not one that it has while a module is loaded, fails or takes too long.
func refusal(err error) bool {
	var unreadable unreadableFields
	var r refused
	switch {
	case errors.As(err, &unreadable):
		return true
	case !errors.As(err, &r):
		return false
	}
	return slices.Contains([]string{"", reasonRefused, "contract", "schema", "invalid"}, r.reason)
}
