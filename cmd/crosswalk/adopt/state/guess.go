package state

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// The types of expressions in files whose packages are not loaded are guessed: from the types of loaded
// packages that the expressions name, and the declarations of the variables in them.

// another is the type of a value of a package that is not loaded, and that is not a struct with an
// embedded type.
var another types.Type = types.NewStruct(nil, nil)

// guess returns the type of an expression; nil if it is not known.
func (l *leaked) guess(e ast.Expr, depth int) types.Type {
	if depth > 20 {
		return nil
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.guess(e.X, depth+1)
	case *ast.StarExpr:
		return element(l.guess(e.X, depth+1))
	case *ast.UnaryExpr:
		return l.guess(e.X, depth+1) // of &x, the same fields
	case *ast.IndexExpr:
		return element(l.guess(e.X, depth+1))
	case *ast.TypeAssertExpr:
		return l.named(e.Type)
	case *ast.CompositeLit:
		return l.named(e.Type)
	case *ast.CallExpr:
		if s, ok := l.guess(e.Fun, depth+1).(*types.Signature); ok && s.Results().Len() > 0 {
			return s.Results().At(0).Type()
		}
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok && l.imports[id.Name] != "" {
			return l.named(e)
		}
		if t := l.guess(e.X, depth+1); t != nil {
			if o, _, _ := types.LookupFieldOrMethod(t, true, pkgOf(t), e.Sel.Name); o != nil {
				return o.Type()
			}
		}
	case *ast.Ident:
		return l.variable(e, depth+1)
	}
	return nil
}

// variable returns the type of a function's variable or parameter that is declared once.
func (l *leaked) variable(id *ast.Ident, depth int) types.Type {
	of := local{l.function(id), id.Name}
	if of.in == nil {
		return nil
	}
	t, known := l.locals[of]
	if !known {
		l.locals[of] = nil // while its value is looked at, which may name it
		t = l.defined(of, depth)
		l.locals[of] = t
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
func (l *leaked) defined(of local, depth int) types.Type {
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
		return l.named(declared[0])
	case len(values) == 1:
		return l.guess(values[0], depth)
	}
	return nil
}

// named returns a type that an expression names; nil if it is not known.
func (l *leaked) named(e ast.Expr) types.Type {
	switch e := e.(type) {
	case *ast.StarExpr:
		if t := l.named(e.X); t != nil {
			return types.NewPointer(t)
		}
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		if pkg := l.o.p.All[l.imports[idName(id, ok)]]; pkg != nil && pkg.Types != nil {
			if o := pkg.Types.Scope().Lookup(e.Sel.Name); o != nil {
				return o.Type()
			}
		}
	case *ast.Ident:
		for _, d := range l.file.Decls {
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
func (l *leaked) mayBe(n *ast.SelectorExpr, field *types.Var, own string) bool {
	t := l.guess(n.X, 0)
	if t == nil {
		path := field.Pkg().Path()
		if own == path {
			return true
		}
		for _, imported := range l.imports {
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

// field reports whether a selector of a field, which leads to the memory, changes it: another value of
// the field does not.
func (l *leaked) field(n *ast.SelectorExpr, field *types.Var, own string) bool {
	if assign, ok := l.parents[n].(*ast.AssignStmt); ok {
		for _, left := range assign.Lhs {
			if left == n {
				return false
			}
		}
	}
	return l.mayBe(n, field, own) && l.changes(n, field.Type())
}

// through returns the embedded fields that a selector goes through and that lead to the memory.
func (l *leaked) through(n *ast.SelectorExpr) map[*types.Var]bool {
	found := map[*types.Var]bool{}
	if len(l.o.fields) == 0 {
		return found
	}
	t := l.guess(n.X, 0)
	if t == nil {
		return found
	}
	_, index, _ := types.LookupFieldOrMethod(t, true, pkgOf(t), n.Sel.Name)
	for _, i := range index[:max(0, len(index)-1)] {
		field := code.FieldOf(t, i).Origin()
		for _, f := range l.o.fields[field.Name()] {
			if f == field {
				found[f] = true
			}
		}
		t = field.Type()
	}
	return found
}
