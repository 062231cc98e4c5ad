package extract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// omission lists the declarations of a package that have an effect when a program starts and were
// not copied.
type omission struct {
	Pkg       string
	Inits     []string // file:line
	Variables []string
	Imports   []string // paths of blank imports
}

// Left returns the omissions of the packages that something is copied from, by path.
func (x *Extraction) Left() (all []omission) {
	packages := map[string]bool{}
	for u := range x.Reached {
		packages[u.Package.PkgPath] = !x.program.IsSetUp(u.Package)
	}
	variables := map[string][]string{}
	for o, u := range x.Units {
		if _, ok := o.(*types.Var); ok && u.Tok == token.VAR && packages[u.Package.PkgPath] && !x.Reached[u] {
			variables[u.Package.PkgPath] = append(variables[u.Package.PkgPath], o.Name())
		}
	}
	for path, copied := range packages {
		if !copied {
			continue
		}
		pkg := x.program.All[path]
		o := omission{Pkg: path, Variables: variables[path]}
		for _, u := range x.inits[pkg] {
			if f, ok := u.Node.(*ast.FuncDecl); ok && f.Name.Name == "init" && !x.Reached[u] {
				at := x.program.Fset.Position(f.Pos())
				o.Inits = append(o.Inits, fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line))
			}
		}
		for _, file := range pkg.Syntax {
			for _, spec := range file.Imports {
				if spec.Name != nil && spec.Name.Name == "_" {
					o.Imports = append(o.Imports, strings.Trim(spec.Path.Value, "`\""))
				}
			}
		}
		for _, list := range []*[]string{&o.Inits, &o.Variables, &o.Imports} {
			slices.Sort(*list)
			*list = slices.Compact(*list)
		}
		if len(o.Inits)+len(o.Variables)+len(o.Imports) > 0 {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b omission) int { return strings.Compare(a.Pkg, b.Pkg) })
	return all
}
