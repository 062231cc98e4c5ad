package attach

import (
	"bytes"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// insert adds an entry with some fields, or adds the fields to the entry of the same manager.
func insert(entries []metav1.ManagedFieldsEntry, e metav1.ManagedFieldsEntry, fields *fieldpath.Set) ([]metav1.ManagedFieldsEntry, error) {
	at := len(entries)
	for i, other := range entries {
		if other.Manager == e.Manager && other.Operation == e.Operation && other.Subresource == e.Subresource && other.APIVersion == e.APIVersion {
			own, err := fieldSet(other)
			if err != nil {
				return nil, err
			}
			at, fields = i, fields.Union(own)
			if other.Time != nil && (e.Time == nil || other.Time.After(e.Time.Time)) {
				e.Time = other.Time
			}
		}
	}
	text, err := fields.ToJSON()
	if err != nil {
		return nil, err
	}
	e.FieldsType, e.FieldsV1 = "FieldsV1", metav1.NewFieldsV1(string(text))
	if at == len(entries) {
		return append(entries, e), nil
	}
	entries[at] = e
	return entries, nil
}

func fieldSet(e metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := &fieldpath.Set{}
	if e.FieldsV1 == nil {
		return set, nil
	}
	if err := set.FromJSON(bytes.NewReader(e.FieldsV1.GetRawBytes())); err != nil {
		return nil, fmt.Errorf("the entry cannot be read: %w", err)
	}
	return set, nil
}

// content returns the fields outside of metadata.
func content(s *fieldpath.Set) *fieldpath.Set {
	return filter(s, func(p fieldpath.Path) bool {
		name := p[0].FieldName
		return name == nil || *name != "metadata" && *name != "apiVersion" && *name != "kind"
	})
}

// metadataOf returns the fields of metadata in a set, which are the same at all versions, without
// labels and annotations that the object does not have.
func metadataOf(s *fieldpath.Set, o *unstructured.Unstructured) *fieldpath.Set {
	has := map[string]map[string]string{"labels": o.GetLabels(), "annotations": o.GetAnnotations()}
	return filter(s, func(p fieldpath.Path) bool {
		if name := p[0].FieldName; name == nil || *name != "metadata" {
			return false
		}
		if len(p) != 3 || p[1].FieldName == nil || p[2].FieldName == nil || has[*p[1].FieldName] == nil {
			return true
		}
		_, ok := has[*p[1].FieldName][*p[2].FieldName]
		return ok
	})
}

// ownsNames reports whether a set has labels or annotations, of which a conversion can make fields.
func ownsNames(s *fieldpath.Set) bool {
	return !filter(s, func(p fieldpath.Path) bool {
		return len(p) == 3 && *p[0].FieldName == "metadata" && p[1].FieldName != nil && (*p[1].FieldName == "labels" || *p[1].FieldName == "annotations")
	}).Empty()
}

// withParents adds to a set the objects of another set, without their fields, that have fields in
// the set. A manager that made an object owns it, too.
func withParents(s, owned *fieldpath.Set) *fieldpath.Set {
	return s.Union(filter(owned.Difference(owned.Leaves()), func(p fieldpath.Path) bool {
		part := s
		for _, step := range p {
			part = part.WithPrefix(step)
		}
		return !part.Empty()
	}))
}

func filter(s *fieldpath.Set, keep func(fieldpath.Path) bool) *fieldpath.Set {
	some := fieldpath.NewSet()
	for p := range s.All() {
		if len(p) > 0 && keep(p) {
			some.Insert(p)
		}
	}
	return some
}

// names lists the paths of a set.
func names(s *fieldpath.Set) string {
	var paths []string
	for p := range s.All() {
		if len(paths) == maxNamed {
			paths = append(paths, "…")
			break
		}
		paths = append(paths, strings.TrimPrefix(p.String(), "."))
	}
	return strings.Join(paths, ", ")
}
