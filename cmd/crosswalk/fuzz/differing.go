package fuzz

import (
	"reflect"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// The bounds of the fields that a measure looks at. A pod template, which a version may have at another
// place, has 1,500 values.
const (
	maxLeaves   = 24     // of a field that differs, spread over all of them
	maxMeasured = 2_000  // fields that differ
	maxVisited  = 50_000 // values of a schema
)

// fieldPart is a field of one version.
type fieldPart struct {
	path   string
	leaves []string // its innermost values, or some of them
	alike  bool     // the other version has a field with this path and form
}

// differing returns the fields of a schema: the outermost ones that the other schema does not have in the
// same form, and each innermost value that both have.
func differing(a, b *schema.Structural) []fieldPart {
	w := &fieldWalk{}
	w.members(a, b, "")
	return w.found
}

type fieldWalk struct {
	found             []fieldPart
	visited, measured int
}

// members compares the values within two values of one form.
func (w *fieldWalk) members(a, b *schema.Structural, path string) (some bool) {
	each := func(child, other *schema.Structural, path string) {
		some = true
		if w.visited++; w.visited > maxVisited {
			return
		}
		switch {
		case other == nil || !sameForm(child, other):
			if w.measured++; w.measured <= maxMeasured {
				w.found = append(w.found, fieldPart{path: path, leaves: leavesIn(child, path)})
			}
		case !w.members(child, other, path):
			w.found = append(w.found, fieldPart{path: path, leaves: []string{path}, alike: true})
		}
	}
	others := map[string]*schema.Structural{}
	eachChild(b, path, func(path string, child *schema.Structural) { others[path] = child })
	eachChild(a, path, func(path string, child *schema.Structural) { each(child, others[path], path) })
	return some
}

func valuesOf(s *schema.Structural) *schema.Structural {
	if s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.Structural
}

// sameForm reports whether two values have one type and the same values of an enum, and so have their
// elements and the values of maps.
func sameForm(a, b *schema.Structural) bool {
	if a.Type != b.Type || a.XIntOrString != b.XIntOrString || (valuesOf(a) == nil) != (valuesOf(b) == nil) || !reflect.DeepEqual(enumOf(a), enumOf(b)) {
		return false
	}
	return (a.Items == nil || b.Items == nil || sameForm(a.Items, b.Items)) && (valuesOf(a) == nil || sameForm(valuesOf(a), valuesOf(b)))
}

func enumOf(s *schema.Structural) (texts []string) {
	if s.ValueValidation == nil {
		return nil
	}
	for _, v := range s.ValueValidation.Enum {
		texts = append(texts, string(encode(v.Object)))
	}
	slices.Sort(texts)
	return texts
}

// leavesIn returns the paths of the innermost values of a value.
func leavesIn(s *schema.Structural, path string) []string {
	var all []string
	var walk func(path string, s *schema.Structural)
	walk = func(path string, s *schema.Structural) {
		n := len(all)
		if n <= maxVisited {
			eachChild(s, path, walk)
		}
		if len(all) == n {
			all = append(all, path)
		}
	}
	walk(path, s)
	if len(all) <= maxLeaves {
		return all
	}
	some := make([]string, maxLeaves)
	for i := range some {
		some[i] = all[i*len(all)/maxLeaves]
	}
	return some
}
