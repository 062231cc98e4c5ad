package scaffold

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// The bounds of a comparison. Of real definitions, the deepest has 30 levels.
const (
	depth     = 32
	mostField = 20_000
)

// Differences compares the fields of each pair of a definition's versions. If a field as a whole
// differs, it does not list the field's members.
func Differences(crd *schema.CRD) (all []Difference) {
	fields := make([][]schema.Field, len(crd.Versions))
	unread := make([]int, len(crd.Versions))
	for i := range crd.Versions {
		fields[i], unread[i] = crd.Versions[i].FieldsUpTo(depth, mostField)
	}
	for i := range crd.Versions {
		for j := range crd.Versions {
			if i == j {
				continue
			}
			d := Difference{From: crd.Versions[i].Name, To: crd.Versions[j].Name, Unread: unread[i] + unread[j]}
			d.Gone, d.Changed = compare(fields[i], fields[j])
			d.New, _ = compare(fields[j], fields[i])
			all = append(all, d)
		}
	}
	return all
}

// compare lists the fields that only a has, and those that b has with another type.
func compare(a, b []schema.Field) (only, changed []string) {
	gone, other := differing(a, b)
	for _, f := range gone {
		only = append(only, fmt.Sprintf("%s (%s)", f.Path, f.Type))
	}
	for _, f := range other {
		changed = append(changed, fmt.Sprintf("%s (%s, then %s)", f.Path, f.Type, typeIn(b, f.Path)))
	}
	return only, changed
}

// differing returns the fields that only a has, and those that b has with another type.
func differing(a, b []schema.Field) (only, changed []schema.Field) {
	types := map[string]string{}
	for _, f := range b {
		types[f.Path] = f.Type
	}
	listed := map[string]bool{}
	for _, f := range a {
		there, ok := types[f.Path]
		switch {
		case under(f.Path, listed):
		case !ok:
			only = append(only, f)
			listed[f.Path] = true
		case there != f.Type:
			changed = append(changed, f)
			listed[f.Path] = true
		}
	}
	return only, changed
}

// typeIn returns the type of the field with that path.
func typeIn(fields []schema.Field, path string) string {
	for _, f := range fields {
		if f.Path == path {
			return f.Type
		}
	}
	return ""
}

// under reports whether a field is a descendant of a listed one.
func under(path string, listed map[string]bool) bool {
	for i, c := range path {
		if (c == '.' || c == '[') && listed[path[:i]] {
			return true
		}
	}
	return false
}
