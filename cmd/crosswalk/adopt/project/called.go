package project

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// The project calls an exported function of another package by its name. It declares an unexported
// one again, without a body, and has the linker take the operator's. A function literal has a name
// in the vendor tree; the test, which is compiled with the operator's packages as they are, calls it
// in a copy of the package with that name (writeLiterals).

func isLiteral(f *types.Func) bool { return strings.HasPrefix(f.Name(), operator.LiteralPrefix) }

// isDirect reports whether the project can call a function by its name.
func isDirect(f *types.Func) bool { return f.Exported() && !isLiteral(f) }

// Call returns the name by which the project calls a function.
func (n importNames) Call(f *types.Func) string {
	name := n[f.Pkg().Path()]
	if isDirect(f) {
		return name + "." + f.Name()
	}
	return name + "_" + f.Name()
}

// calls returns the functions of the spokes, each once.
func calls(k discover.Resource) (list []*types.Func) {
	if k.Form != discover.FormConverters {
		return nil
	}
	for _, v := range k.Spokes {
		for _, f := range []*types.Func{v.To, v.From} {
			if !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	return list
}

// used returns the imports of a file that names the versions' types and calls the functions. With
// link, packages of functions that the linker takes are imported too.
func used(k discover.Resource, n importNames, link bool) importNames {
	if k.Form != discover.FormConverters {
		return n
	}
	used := importNames{}
	for _, v := range k.Versions() {
		used[v.Named.Obj().Pkg().Path()] = n[v.Named.Obj().Pkg().Path()]
	}
	for _, f := range calls(k) {
		switch path := f.Pkg().Path(); {
		case isDirect(f):
			used[path] = n[path]
		case used[path] == "" && link && !isLiteral(f):
			used[path] = "_"
		}
	}
	return used
}

// linked returns the declarations of the functions that the linker takes from the operator's
// packages.
func linked(k discover.Resource, n importNames) string {
	var b strings.Builder
	for _, f := range calls(k) {
		if isDirect(f) || isLiteral(f) {
			continue
		}
		qualified := types.TypeString(f.Signature(), func(p *types.Package) string { return nameOf(n, p) })
		fmt.Fprintf(&b, "\n//go:linkname %s %s.%s\nfunc %[1]s%[4]s\n", n.Call(f), f.Pkg().Path(), f.Name(), strings.TrimPrefix(qualified, "func"))
	}
	return b.String()
}

// nameOf returns the name of a package in the project.
func nameOf(n importNames, p *types.Package) string {
	if name := n[p.Path()]; name != "" {
		return name
	}
	return p.Name() // context
}

// Moved returns the packages with literals, and the import paths of their copies.
func Moved(k discover.Resource, path string) map[string]string {
	names, all := Imports(k), map[string]string{}
	for _, f := range calls(k) {
		if isLiteral(f) {
			all[f.Pkg().Path()] = path + "/native/" + names[f.Pkg().Path()]
		}
	}
	return all
}

// WriteLiterals writes the files by which the project calls function literals, and copies of their
// packages with names for the literals.
func WriteLiterals(dir string, p Project, program *operator.Program, path string) error {
	names, packages := Imports(p.Resource), Moved(p.Resource, path)
	for _, name := range []string{"literals_wasip1.go", "literals_native.go", "native"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	var variables strings.Builder
	for _, f := range calls(p.Resource) {
		if isLiteral(f) {
			fmt.Fprintf(&variables, "\nvar %s = %s.%s\n", names.Call(f), names[f.Pkg().Path()], f.Name())
		}
	}
	if len(packages) == 0 {
		return nil
	}
	for _, file := range []struct{ name, constraint string }{{"literals_wasip1.go", "wasip1"}, {"literals_native.go", "!wasip1"}} {
		imports := ""
		for _, at := range slices.Sorted(maps.Keys(packages)) {
			from := at
			if file.constraint != "wasip1" {
				from = packages[at]
			}
			imports += fmt.Sprintf("import %s %q\n", names[at], from)
		}
		text := fmt.Sprintf("//go:build %s\n\n// Written by crosswalk adopt. DO NOT EDIT.\npackage main\n\n%s%s", file.constraint, imports, variables.String())
		if err := gocmd.WriteFile(filepath.Join(dir, file.name), []byte(text)); err != nil {
			return err
		}
	}
	for at := range packages {
		if err := copyPackage(program, at, filepath.Join(dir, "native", names[at])); err != nil {
			return fmt.Errorf("copying the package %s: %w", at, err)
		}
	}
	return nil
}

// copyPackage writes the files of a package to a directory, with names for the literals in them.
func copyPackage(p *operator.Program, path, to string) error {
	from := filepath.Dir(p.All[path].GoFiles[0])
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		if name := filepath.Join(from, e.Name()); len(p.Hoisted[name]) > 0 {
			text = p.Hoisted.Named(name, text)
		}
		if err := gocmd.WriteFile(filepath.Join(to, e.Name()), text); err != nil {
			return err
		}
	}
	return nil
}
