package adopt

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
	pkg       string
	inits     []string // file:line
	variables []string
	imports   []string // paths of blank imports
}

// left returns the omissions of the packages that something is copied from, by path.
func (x *extraction) left() (all []omission) {
	packages := map[string]bool{}
	for u := range x.reached {
		packages[u.Package.PkgPath] = !x.program.isSetUp(u.Package)
	}
	variables := map[string][]string{}
	for o, u := range x.units {
		if _, ok := o.(*types.Var); ok && u.Tok == token.VAR && packages[u.Package.PkgPath] && !x.reached[u] {
			variables[u.Package.PkgPath] = append(variables[u.Package.PkgPath], o.Name())
		}
	}
	for path, copied := range packages {
		if !copied {
			continue
		}
		pkg := x.program.All[path]
		o := omission{pkg: path, variables: variables[path]}
		for _, u := range x.inits[pkg] {
			if f, ok := u.Node.(*ast.FuncDecl); ok && f.Name.Name == "init" && !x.reached[u] {
				at := x.program.Fset.Position(f.Pos())
				o.inits = append(o.inits, fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line))
			}
		}
		for _, file := range pkg.Syntax {
			for _, spec := range file.Imports {
				if spec.Name != nil && spec.Name.Name == "_" {
					o.imports = append(o.imports, strings.Trim(spec.Path.Value, "`\""))
				}
			}
		}
		for _, list := range []*[]string{&o.inits, &o.variables, &o.imports} {
			slices.Sort(*list)
			*list = slices.Compact(*list)
		}
		if len(o.inits)+len(o.variables)+len(o.imports) > 0 {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b omission) int { return strings.Compare(a.pkg, b.pkg) })
	return all
}
