package scaffold

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// Declaration lists the declared fields of one version.
type Declaration struct {
	Version string
	Paths   []string // as docs/spec/abi.md has them, sorted
}

// maxDeclared is the maximum number of generated paths for one version. An author declares more of
// them by hand.
const maxDeclared = 100

// Declarations returns the fields that differ between the versions of a definition, and the stash
// if a field exists in some versions only: the initial declaration of a converter between them. It
// returns nil if the versions do not differ, or differ in more than maxDeclared fields.
func Declarations(crd *schema.CRD, versions []string) []Declaration {
	var all []Declaration
	some, lost := false, false
	for i := range crd.Versions {
		v := &crd.Versions[i]
		if !slices.Contains(versions, v.Name) {
			continue
		}
		d := Declaration{Version: v.Name, Paths: []string{}}
		for j := range crd.Versions {
			if i == j || !slices.Contains(versions, crd.Versions[j].Name) {
				continue
			}
			own, unread := v.FieldsUpTo(depth, mostField)
			others, more := crd.Versions[j].FieldsUpTo(depth, mostField)
			if unread+more > 0 {
				return nil // a converter that declares nothing gets whole objects
			}
			gone, changed := differing(own, others)
			lost = lost || len(gone) > 0
			for _, f := range append(gone, changed...) {
				if path := declared(v, f.Path); path != "" {
					d.Paths = append(d.Paths, path)
				}
			}
		}
		d.Paths = shortest(d.Paths)
		if len(d.Paths) > maxDeclared {
			return nil
		}
		some = some || len(d.Paths) > 0
		all = append(all, d)
	}
	if lost {
		for i := range all {
			all[i].Paths = slices.Insert(all[i].Paths, 0, "metadata.annotations['conversion."+crd.Group+"/stash']")
		}
	}
	slices.SortStableFunc(all, func(a, b Declaration) int {
		return cmp.Compare(slices.Index(versions, a.Version), slices.Index(versions, b.Version))
	})
	for _, a := range all {
		for _, b := range all {
			if _, err := projection.Parse(a.Paths, b.Paths); err != nil {
				return nil // a map in one version is an object in the other, for example
			}
		}
	}
	if !some {
		return nil
	}
	return all
}

// declared returns a field's path in the form of a declaration. For a field that cannot be declared
// itself, such as one with an ambiguous path, it returns the path of the enclosing object; if that
// cannot be declared either, "".
func declared(v *schema.Version, path string) string {
	for path != "" {
		path = strings.TrimSuffix(strings.TrimSuffix(path, "[]"), ".*")
		for i := len(path) - 1; i >= 0; i-- { // where the last name may begin: names can have dots in them
			if path[i] != '.' {
				continue
			}
			text := strings.TrimPrefix(path, ".")
			if i < strings.LastIndexByte(path, '.') || !plain(path[i+1:]) {
				text = strings.TrimPrefix(path[:i], ".") + "['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(path[i+1:]) + "']"
			}
			if _, err := projection.Parse([]string{text}); err == nil && InSchema(v, text) {
				return text
			}
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return ""
}

// plain reports whether a name needs no quotes in a path.
func plain(name string) bool {
	steps, err := projection.Steps(name)
	return err == nil && len(steps) == 1 && steps[0] == projection.Step{To: '.', Name: name}
}

// shortest returns the paths in order, without those below others.
func shortest(paths []string) []string {
	slices.Sort(paths)
	listed := map[string]bool{}
	kept := []string{}
	for _, path := range paths {
		if !listed[path] && !under(path, listed) {
			listed[path] = true
			kept = append(kept, path)
		}
	}
	return kept
}

// InSchema reports whether a version's schema has the value at a declared path. It returns true for
// metadata, which schemas do not describe.
func InSchema(v *schema.Version, path string) bool {
	steps, err := projection.Steps(path)
	at, ok := v.Root(), err == nil
	if ok && steps[0].Name == "metadata" { // schemas may name it, as an object
		return true
	}
	for _, s := range steps {
		if !ok {
			break
		}
		switch s.To {
		case '*':
			at, ok = at.Every()
		case '[':
			at, ok = at.Elements()
		default:
			at, ok = at.Member(s.Name)
		}
	}
	return ok
}

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
