package scaffold

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/schema"
)

// depth is how deep fields are compared: .spec.template.spec.containers[].name has six levels.
const depth = 8

// Differences compares the fields of a definition's versions, each with each. Of what differs as a whole, the parts are not listed.
func Differences(crd *schema.CRD) (all []Difference) {
	fields := make([][]schema.Field, len(crd.Versions))
	for i := range crd.Versions {
		fields[i] = crd.Versions[i].Fields(depth)
	}
	for i := range crd.Versions {
		for j := range crd.Versions {
			if i == j {
				continue
			}
			d := Difference{From: crd.Versions[i].Name, To: crd.Versions[j].Name}
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

// typeIn returns the type of a field that is among those listed.
func typeIn(fields []schema.Field, path string) string {
	for _, f := range fields {
		if f.Path == path {
			return f.Type
		}
	}
	return ""
}

// under says whether a field lies below one that is listed.
func under(path string, listed map[string]bool) bool {
	for i, c := range path {
		if (c == '.' || c == '[') && listed[path[:i]] {
			return true
		}
	}
	return false
}
