package state

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// The types of expressions in files whose packages are not loaded are guessed: from the types of loaded
// packages that the expressions name, and the declarations of the variables in them.

// another is the type of a value of a package that is not loaded, and that is not a struct with an
// embedded type.
var another types.Type = types.NewStruct(nil, nil)

// guesser guesses the types of expressions in a file.
type guesser struct {
	*tree
	loaded map[string]*packages.Package
	locals map[local]types.Type // that were guessed
}

// guess returns the type of an expression; nil if it is not known.
func (g *guesser) guess(e ast.Expr, depth int) types.Type {
	if depth > 20 {
		return nil
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return g.guess(e.X, depth+1)
	case *ast.StarExpr:
		return element(g.guess(e.X, depth+1))
	case *ast.UnaryExpr:
		return g.guess(e.X, depth+1) // of &x, the same fields
	case *ast.IndexExpr:
		return element(g.guess(e.X, depth+1))
	case *ast.TypeAssertExpr:
		return g.named(e.Type)
	case *ast.CompositeLit:
		return g.named(e.Type)
	case *ast.CallExpr:
		if s, ok := g.guess(e.Fun, depth+1).(*types.Signature); ok && s.Results().Len() > 0 {
			return s.Results().At(0).Type()
		}
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok && g.imports[id.Name] != "" {
			return g.named(e)
		}
		if t := g.guess(e.X, depth+1); t != nil {
			if o, _, _ := types.LookupFieldOrMethod(t, true, pkgOf(t), e.Sel.Name); o != nil {
				return o.Type()
			}
		}
	case *ast.Ident:
		return g.variable(e, depth+1)
	}
	return nil
}

// variable returns the type of a function's variable or parameter that is declared once.
func (g *guesser) variable(id *ast.Ident, depth int) types.Type {
	of := local{g.function(id), id.Name}
	if of.in == nil {
		return nil
	}
	t, known := g.locals[of]
	if !known {
		g.locals[of] = nil // while its value is looked at, which may name it
		t = g.defined(of, depth)
		g.locals[of] = t
	}
	return t
}

// local is a variable or parameter of a function.
type local struct {
	in   *ast.FuncDecl
	name string
}

// defined returns the type in a variable's declaration, or of the value that it gets; nil if there are
// several.
func (g *guesser) defined(of local, depth int) types.Type {
	var declared, values []ast.Expr
	found := 0
	ast.Inspect(of.in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				if name.Name == of.name {
					found++
					declared = append(declared, n.Type)
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if name.Name != of.name {
					continue
				}
				if found++; n.Type != nil {
					declared = append(declared, n.Type)
				} else if i < len(n.Values) {
					values = append(values, n.Values[i])
				}
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE { // of the same type
				break
			}
			for i, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && name.Name == of.name {
					if found++; i < len(n.Rhs) {
						values = append(values, n.Rhs[i])
					}
				}
			}
		}
		return true
	})
	switch {
	case found != 1:
		return nil
	case len(declared) == 1:
		return g.named(declared[0])
	case len(values) == 1:
		return g.guess(values[0], depth)
	}
	return nil
}

// named returns a type that an expression names; nil if it is not known.
func (g *guesser) named(e ast.Expr) types.Type {
	switch e := e.(type) {
	case *ast.StarExpr:
		if t := g.named(e.X); t != nil {
			return types.NewPointer(t)
		}
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		if pkg := g.loaded[g.imports[idName(id, ok)]]; pkg != nil && pkg.Types != nil {
			if o := pkg.Types.Scope().Lookup(e.Sel.Name); o != nil {
				return o.Type()
			}
		}
	case *ast.Ident:
		for _, d := range g.file.Decls {
			if gen, ok := d.(*ast.GenDecl); ok {
				for _, spec := range gen.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == e.Name && !embeds(t) {
						return another
					}
				}
			}
		}
	}
	return nil
}

// embeds reports whether a type is not a struct, or has an embedded field.
func embeds(t *ast.TypeSpec) bool {
	s, ok := t.Type.(*ast.StructType)
	if !ok || t.Assign.IsValid() {
		return true
	}
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 {
			return true
		}
	}
	return false
}

func idName(id *ast.Ident, ok bool) string {
	if !ok {
		return ""
	}
	return id.Name
}

// mayBe reports whether a selector may be of a field.
func (g *guesser) mayBe(n *ast.SelectorExpr, field *types.Var, own string) bool {
	t := g.guess(n.X, 0)
	if t == nil {
		path := field.Pkg().Path()
		if own == path {
			return true
		}
		for _, imported := range g.imports {
			if imported == path {
				return true
			}
		}
		return false
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, pkgOf(t), field.Name())
	v, ok := o.(*types.Var)
	return ok && v.Origin() == field
}

// element returns the type of the values in a pointer, map, slice, array or channel; nil if it is not
// known.
func element(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if e, ok := t.Underlying().(interface{ Elem() types.Type }); ok {
		return e.Elem()
	}
	return nil
}

// pkgOf returns the package of a named type, whose unexported methods are of no interest elsewhere.
func pkgOf(t types.Type) *types.Package {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pkg()
	}
	return nil
}
