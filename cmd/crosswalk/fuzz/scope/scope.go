// Package scope enumerates the objects of a version that differ from the smallest one in a few
// choices: every one of them, for tests that must not miss any.
//
// A choice sets an optional field to one of its values, gives a required field another value than
// its first, or adds an element to a list or a member to a map. The objects around such a field come
// with it. The objects of scope n have n choices or fewer.
package scope

import (
	"context"
	"iter"
	"maps"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// Scope enumerates the objects of one version.
type Scope struct {
	version *apiserver.Version
	root    *node
}

// maxNodes bounds the values of a schema.
const maxNodes = 100_000

// New returns the objects with the declared fields alone, and with the fields that the schema
// demands; all is true if the objects have all fields of the schema.
//
// A field that the schema does not have, and one of the metadata, is ignored. New returns nil if the
// schema is too large.
func New(v *apiserver.Version, declared []string, all bool) *Scope {
	tree := &declaration{whole: all}
	for _, path := range declared {
		if steps, err := projection.Steps(path); err == nil {
			tree.add(steps)
		}
	}
	m := &maker{left: maxNodes}
	root := m.node("", v.Schema, tree)
	if m.left <= 0 {
		return nil
	}
	return &Scope{v, root}
}

// Objects returns the objects with exactly so many choices that an API server accepts, as it stores
// them. It ends early with ctx.
func (s *Scope) Objects(ctx context.Context, choices int) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		s.root.each(choices, func(value any) bool {
			if ctx.Err() != nil {
				return false
			}
			object := runtime.DeepCopyJSON(value.(map[string]any))
			object["apiVersion"], object["kind"] = s.version.APIVersion, s.version.Kind
			meta := map[string]any{"name": "scope", "uid": "6f1d2c3b-0a59-4877-9e66-55d4c3b2a190", "creationTimestamp": "2024-02-29T23:59:59Z"}
			if s.version.Namespaced {
				meta["namespace"] = "default"
			}
			object["metadata"] = meta
			s.version.Store(object)
			if len(s.version.ValidateSchema(ctx, object)) > 0 {
				return true
			}
			return yield(object)
		})
	}
}

// declaration is the fields that objects have, by their names; "[]" and "*" for elements and members.
type declaration struct {
	whole bool
	below map[string]*declaration
}

func (d *declaration) add(steps []projection.Step) {
	for _, step := range steps {
		if d.below == nil {
			d.below = map[string]*declaration{}
		}
		if d.below[step.Name] == nil {
			d.below[step.Name] = &declaration{}
		}
		d = d.below[step.Name]
	}
	d.whole = true
}

// at returns the declaration of a member; nil if it is not declared.
func (d *declaration) at(name string) *declaration {
	switch {
	case d == nil || d.whole:
		return d
	case d.below[name] != nil:
		return d.below[name]
	}
	return d.below["*"]
}

// maker makes the nodes of a schema.
type maker struct{ left int }

// node returns the values of a schema. Without a declaration they are the smallest one.
func (m *maker) node(name string, s *schema.Structural, d *declaration) *node {
	n := &node{name: name}
	if m.left--; m.left < 0 {
		return n
	}
	v := s.ValueValidation
	if v == nil {
		v = &schema.ValueValidation{}
	}
	n.nullable = s.Nullable && d != nil
	switch {
	case name == "" || s.Type == "object" && len(s.Properties) > 0 && !s.XEmbeddedResource && len(v.Enum) == 0:
		n.kind = object
		for _, field := range slices.Sorted(maps.Keys(s.Properties)) {
			property := s.Properties[field]
			if name == "" && (field == "apiVersion" || field == "kind" || field == "metadata") {
				continue
			}
			needed := slices.Contains(v.Required, field) || property.Default.Object != nil
			if within := d.at(field); within != nil || needed {
				child := m.node(field, &property, within)
				child.required = needed
				n.fields = append(n.fields, child)
			}
		}
		if s.XPreserveUnknownFields && d != nil && d.whole {
			n.fields = append(n.fields, &node{name: "unknownField", values: []any{"a", map[string]any{}}})
		}
	case s.Type == "array" && s.Items != nil && len(v.Enum) == 0:
		n.kind, n.inner = list, m.node("[]", s.Items, d.at("[]"))
		n.least, n.most = boundsOf(v.MinItems, v.MaxItems)
	case s.Type == "object" && s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil && len(v.Enum) == 0:
		n.kind, n.inner = mapping, m.node("*", s.AdditionalProperties.Structural, d.at("*"))
		n.least, n.most = boundsOf(v.MinProperties, v.MaxProperties)
		n.most = min(n.most, len(keys))
	default:
		n.values = scalars(s)
	}
	if d == nil { // the smallest value alone
		n.values = n.values[:min(1, len(n.values))]
		n.most = n.least
	}
	return n
}

// boundsOf returns the bounds of a length; the lower one is small enough to make the elements.
func boundsOf(least, most *int64) (low, high int) {
	high = math.MaxInt32
	if least != nil {
		low = int(min(*least, 64))
	}
	if most != nil {
		high = int(min(*most, math.MaxInt32))
	}
	return low, max(low, high)
}
