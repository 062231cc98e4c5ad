package adopt

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// unit is a declaration that is copied as a whole: a function, a type, the variables of one
// statement, or constants that belong together.
type unit struct {
	pkg  *packages.Package
	file *ast.File
	node ast.Node    // *ast.FuncDecl, ast.Spec, or *ast.GenDecl of constants
	tok  token.Token // of a spec
	defs []types.Object
}

// base is loaded packages with their declarations.
type base struct {
	fset *token.FileSet
	all  map[string]*packages.Package // by path, without the standard library

	units map[types.Object]*unit // of every declaration; made by declare
	inits map[*packages.Package][]*unit
	users map[types.Object][]*unit // that mention a function, variable or field; made by mentioned
}

func newBase(fset *token.FileSet) *base {
	return &base{fset: fset, all: map[string]*packages.Package{}}
}

// index finds the unit of each declaration of a package.
func (p *base) index(pkg *packages.Package) {
	info := pkg.TypesInfo
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				u := &unit{pkg: pkg, file: file, node: f}
				if o := info.Defs[f.Name]; o != nil {
					u.defs = []types.Object{o}
					p.units[o] = u
				} else {
					p.inits[pkg] = append(p.inits[pkg], u)
				}
				if f.Name.Name == "init" && f.Recv == nil {
					p.inits[pkg] = append(p.inits[pkg], u)
				}
				continue
			}
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok == token.IMPORT {
				continue
			}
			together := &unit{pkg: pkg, file: file, node: gen}
			for _, spec := range gen.Specs {
				u := &unit{pkg: pkg, file: file, node: spec, tok: gen.Tok}
				if gen.Tok == token.CONST && repeats(gen) {
					u = together
				}
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					u.defs = append(u.defs, info.Defs[spec.Name])
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if o := info.Defs[name]; o != nil {
							u.defs = append(u.defs, o)
						}
					}
				}
				for _, o := range u.defs {
					p.units[o] = u
				}
			}
		}
	}
}

// declarations finds the units of all packages, once.
func (p *base) declarations() {
	if p.units != nil {
		return
	}
	p.units, p.inits = map[types.Object]*unit{}, map[*packages.Package][]*unit{}
	for _, pkg := range p.all {
		p.index(pkg)
	}
}

// distinct returns each unit once.
func (p *base) distinct() map[*unit]bool {
	all := map[*unit]bool{}
	for _, u := range p.units {
		all[u] = true
	}
	for _, list := range p.inits {
		for _, u := range list {
			all[u] = true
		}
	}
	return all
}

// mentioned returns the units that mention each function, variable and field, but for its own.
func (p *base) mentioned() map[types.Object][]*unit {
	if p.users != nil {
		return p.users
	}
	p.users = map[types.Object][]*unit{}
	note := func(u *unit) {
		mention := func(o types.Object) {
			if list := p.users[o]; len(list) == 0 || list[len(list)-1] != u {
				p.users[o] = append(list, u)
			}
		}
		ast.Inspect(u.node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				switch o := u.pkg.TypesInfo.Uses[n].(type) {
				case *types.Func:
					if p.units[o.Origin()] != nil && p.units[o.Origin()] != u {
						mention(o.Origin())
					}
				case *types.Var:
					if p.units[o] != nil && p.units[o] != u || o.IsField() && o.Pkg() != nil && p.all[o.Pkg().Path()] != nil {
						mention(o.Origin())
					}
				}
			case *ast.SelectorExpr: // also by way of embedded fields
				for _, field := range embedded(u.pkg.TypesInfo.Selections[n]) {
					mention(field)
				}
			}
			return true
		})
	}
	for u := range p.distinct() {
		note(u)
	}
	return p.users
}

// embedded returns the fields that a selector does not name and goes through.
func embedded(s *types.Selection) (fields []*types.Var) {
	if s == nil || len(s.Index()) < 2 {
		return nil
	}
	t := s.Recv()
	for _, n := range s.Index()[:len(s.Index())-1] {
		field := fieldOf(t, n)
		fields = append(fields, field.Origin())
		t = field.Type()
	}
	return fields
}

// repeats says whether constants depend on those before them.
func repeats(gen *ast.GenDecl) bool {
	for _, spec := range gen.Specs {
		if len(spec.(*ast.ValueSpec).Values) == 0 || mentions(spec, "iota") {
			return true
		}
	}
	return false
}

func mentions(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return true
	})
	return found
}
