package project

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
)

// The project calls an exported function of another package by its name. It declares an unexported
// one again, without a body, and has the linker take the operator's.

// Call returns the name by which the project calls a function.
func (n importNames) Call(f *types.Func) string {
	name := n[f.Pkg().Path()]
	if f.Exported() {
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
		case f.Exported():
			used[path] = n[path]
		case used[path] == "" && link:
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
		if f.Exported() {
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
