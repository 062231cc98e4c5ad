// Package discover finds the kinds that packages convert: by methods, by calls of NewSpokeConverter, or
// by the functions of conversion-gen. Each has a file, and find.go says which of them counts.
package discover

import (
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// Find returns the kinds that the packages convert, by name. Calls of NewSpokeConverter come first,
// because controller-runtime asks a registered converter before it looks for methods.
func Find(p *operator.Program) (kinds []Resource, notes []string) {
	converters, failed := kindsOfConverters(p)
	methods, seen, notes := kindsOfMethods(p)
	functions, more := findFunctions(p)
	taken := map[string]bool{}
	for _, k := range converters {
		taken[k.Name+"."+k.Group] = true
		kinds = append(kinds, k)
	}
	for _, k := range methods {
		if !taken[k.Name+"."+k.Group] {
			if places, err := overridden(p, k); err != nil && k.Problem == nil {
				k.Wrapped, k.Problem = places, err
			}
			kinds = append(kinds, k)
		}
	}
	for _, k := range functions {
		if key := k.Name + "." + k.Group; !taken[key] && !seen[key] {
			k.Wrapped, k.Problem = wrappers(p, k)
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 { // of kinds with methods, conversion-gen's functions are parts
		notes = append(notes, more...)
	}
	if failed != nil && len(kinds) == 0 {
		notes = append(notes, failed.Error())
	}
	for i := range kinds {
		if failed != nil {
			kinds[i].Problem = failed // its converter may be the one that is not known
		}
		slices.SortFunc(kinds[i].Spokes, func(a, b Version) int { return strings.Compare(a.APIVersion, b.APIVersion) })
	}
	notes = slices.DeleteFunc(notes, func(n string) bool {
		return slices.ContainsFunc(converters, func(k Resource) bool { return strings.HasPrefix(n, k.Name+"."+k.Group+" ") })
	})
	slices.SortFunc(kinds, func(a, b Resource) int { return strings.Compare(a.Name+"."+a.Group, b.Name+"."+b.Group) })
	slices.Sort(notes)
	return kinds, notes
}
