// Package code has the declarations and functions of loaded packages, and says where they are.
package code

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// Unit is a declaration that is copied as a whole: a function, a type, the variables of one
// statement, or constants that belong together.
type Unit struct {
	Package *packages.Package
	File    *ast.File
	Node    ast.Node    // *ast.FuncDecl, ast.Spec, or *ast.GenDecl of constants
	Tok     token.Token // of a spec
	Defs    []types.Object
}

// Program is loaded packages with their declarations.
type Program struct {
	Fset    *token.FileSet
	All     map[string]*packages.Package // by path, without the standard library
	Modules map[string]bool              // the modules of packages that the user named
	Roots   []string                     // directories with the operator's modules

	Units map[types.Object]*Unit // of every declaration; made by declare
	Inits map[*packages.Package][]*Unit
	users map[types.Object][]*Unit // that mention a function, variable or field; made by mentioned
}

// New returns a program without packages.
func New(fset *token.FileSet) *Program {
	return &Program{Fset: fset, All: map[string]*packages.Package{}, Modules: map[string]bool{}}
}

// index finds the unit of each declaration of a package.
func (p *Program) index(pkg *packages.Package) {
	info := pkg.TypesInfo
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				u := &Unit{Package: pkg, File: file, Node: f}
				if o := info.Defs[f.Name]; o != nil {
					u.Defs = []types.Object{o}
					p.Units[o] = u
				} else {
					p.Inits[pkg] = append(p.Inits[pkg], u)
				}
				if f.Name.Name == "init" && f.Recv == nil {
					p.Inits[pkg] = append(p.Inits[pkg], u)
				}
				continue
			}
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok == token.IMPORT {
				continue
			}
			together := &Unit{Package: pkg, File: file, Node: gen}
			for _, spec := range gen.Specs {
				u := &Unit{Package: pkg, File: file, Node: spec, Tok: gen.Tok}
				if gen.Tok == token.CONST && repeats(gen) {
					u = together
				}
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					u.Defs = append(u.Defs, info.Defs[spec.Name])
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if o := info.Defs[name]; o != nil {
							u.Defs = append(u.Defs, o)
						}
					}
				}
				for _, o := range u.Defs {
					p.Units[o] = u
				}
			}
		}
	}
}

// Declare finds the units of all packages, once.
func (p *Program) Declare() {
	if p.Units != nil {
		return
	}
	p.Units, p.Inits = map[types.Object]*Unit{}, map[*packages.Package][]*Unit{}
	for _, pkg := range p.All {
		p.index(pkg)
	}
}

// Distinct returns each unit once.
func (p *Program) Distinct() map[*Unit]bool {
	all := map[*Unit]bool{}
	for _, u := range p.Units {
		all[u] = true
	}
	for _, list := range p.Inits {
		for _, u := range list {
			all[u] = true
		}
	}
	return all
}

// Mentioned returns the units that mention each function, variable and field, but for its own.
func (p *Program) Mentioned() map[types.Object][]*Unit {
	if p.users != nil {
		return p.users
	}
	p.users = map[types.Object][]*Unit{}
	note := func(u *Unit) {
		mention := func(o types.Object) {
			if list := p.users[o]; len(list) == 0 || list[len(list)-1] != u {
				p.users[o] = append(list, u)
			}
		}
		ast.Inspect(u.Node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				switch o := u.Package.TypesInfo.Uses[n].(type) {
				case *types.Func:
					if p.Units[o.Origin()] != nil && p.Units[o.Origin()] != u {
						mention(o.Origin())
					}
				case *types.Var:
					if p.Units[o] != nil && p.Units[o] != u || o.IsField() && o.Pkg() != nil && p.All[o.Pkg().Path()] != nil {
						mention(o.Origin())
					}
				}
			case *ast.SelectorExpr: // also by way of embedded fields
				for _, field := range Embedded(u.Package.TypesInfo.Selections[n]) {
					mention(field)
				}
			}
			return true
		})
	}
	for u := range p.Distinct() {
		note(u)
	}
	return p.users
}

// Embedded returns the fields that a selector does not name and goes through.
func Embedded(s *types.Selection) (fields []*types.Var) {
	if s == nil || len(s.Index()) < 2 {
		return nil
	}
	t := s.Recv()
	for _, n := range s.Index()[:len(s.Index())-1] {
		field := FieldOf(t, n)
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
