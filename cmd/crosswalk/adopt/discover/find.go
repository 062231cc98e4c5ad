// Package discover finds the kinds that packages convert: by methods, by calls of NewSpokeConverter, or
// by the functions of conversion-gen. Each has a file, and find.go says which of them counts.
package discover

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// Find returns the kinds that the packages convert, by name. Calls of NewSpokeConverter come first,
// because controller-runtime asks a registered converter before it looks for methods.
func Find(p *operator.Program) (kinds []Resource, notes []string) {
	versions := findVersions(p)
	converters, failed := kindsOfConverters(p, versions)
	methods, seen, notes := kindsOfMethods(p, versions)
	functions, more := findFunctions(p, versions)
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

// Neighbours names packages beside the named ones that have conversions, for the error that these
// have none; "" if there are none.
func Neighbours(p *operator.Program) string {
	named := map[string]bool{}
	var around []string
	for _, pkg := range p.NamedPackages() {
		if len(pkg.GoFiles) == 0 {
			continue
		}
		dir := filepath.Dir(pkg.GoFiles[0])
		named[dir] = true
		if parent := filepath.Dir(dir); !slices.Contains(around, parent) {
			around = append(around, parent)
		}
	}
	var found []string
	for _, dir := range around {
		files, err := operator.SourceFiles(dir, "ConvertTo(", "Convert_", operator.NewSpoke)
		if err != nil {
			continue // the error without a hint is right, too
		}
		for _, f := range files {
			if name, line := conversion(f); line > 0 && !named[filepath.Dir(f.Name)] {
				found = append(found, fmt.Sprintf("%s (%s:%d)", name, f.Name, line))
			}
		}
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(found) == 0 {
		return ""
	}
	return "; beside them is " + strings.Join(found[:min(len(found), 3)], ", ") + ": name its package, too"
}

// conversion returns the name and line of the file's first conversion.
func conversion(f operator.SourceFile) (name string, line int) {
	for _, d := range f.Tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && (fn.Recv != nil && fn.Name.Name == "ConvertTo" || fn.Recv == nil && functionName.MatchString(fn.Name.Name)) {
			return fn.Name.Name, f.Fset.Position(fn.Pos()).Line
		}
	}
	return "", 0
}
