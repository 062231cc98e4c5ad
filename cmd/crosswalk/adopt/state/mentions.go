package state

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// mentions looks at the files for places that change variables, mention functions that do, or may change
// memory that leads to variables.
func (o *repository) mentions() {
	for _, file := range o.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					o.changed(n.Lhs...)
				}
			case *ast.IncDecStmt:
				o.changed(n.X)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					o.changed(n.X)
				}
			case *ast.RangeStmt:
				if n.Tok == token.ASSIGN {
					o.changed(n.Key, n.Value)
				}
			case *ast.CallExpr:
				name := calledName(n)
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && changes.MatchString(name) {
					o.changed(f.X)
				}
				if changes.MatchString(name) || name == "delete" || name == "clear" || name == "copy" {
					o.changed(n.Args...)
				}
			case *ast.SelectorExpr:
				o.selector(n)
			case *ast.Ident:
				o.identifier(n)
			}
			return true
		})
	}
}

// calledName returns the name of a called function or method; "" for another expression.
func calledName(call *ast.CallExpr) string {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// at adds the place of a node to those of a declaration.
func (o *repository) at(list map[types.Object][]string, of types.Object, n ast.Node) {
	list[of] = append(list[of], o.place.Name(o.fset.Position(n.Pos())))
}

// changed notes the variables that expressions are, or are parts of.
func (o *repository) changed(list ...ast.Expr) {
	for _, e := range list {
		if of := o.variable(e); of != nil {
			o.at(o.found, of, e)
		}
	}
}

// variable returns the exported variable that an expression is a part of; nil if there is none.
func (o *repository) variable(e ast.Expr) types.Object {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return o.variable(e.X)
	case *ast.StarExpr:
		return o.variable(e.X)
	case *ast.IndexExpr:
		return o.variable(e.X)
	case *ast.SliceExpr:
		return o.variable(e.X)
	case *ast.Ident:
		if of := o.info.Uses[e]; o.variables[of] {
			return of
		}
	case *ast.SelectorExpr:
		if of := o.variable(e.Sel); of != nil {
			return of
		}
		return o.variable(e.X)
	}
	return nil
}

// selector looks at a method of a variable, and at embedded fields that a selector goes through.
func (o *repository) selector(n *ast.SelectorExpr) {
	if of := o.variable(n.X); of != nil {
		if t := o.typeOf(n.X); t != nil {
			if m, ok := lookup(t, n.Sel.Name).(*types.Func); ok {
				if changed, _ := o.method(t, m); changed {
					o.at(o.found, of, n)
				}
			}
		}
	}
	for _, field := range code.Embedded(o.info.Selections[n]) {
		if o.fields[field] && o.fresh().selected(n, field.Type()) {
			o.at(o.leaked, field, n)
		}
	}
}

// identifier looks at the mention of a function, a variable or a field.
func (o *repository) identifier(id *ast.Ident) {
	var e ast.Expr = id
	if p, ok := o.parents[id].(*ast.SelectorExpr); ok && p.Sel == id {
		e = p
	}
	for _, of := range o.mayBe(id) {
		if o.functions[of] {
			o.at(o.found, of, e)
		}
		field, ok := of.(*types.Var)
		isField := ok && o.fields[field]
		if isField && (e == id || o.isAssigned(e)) {
			continue // a value of the field, or another one, does not change the memory
		}
		if (o.leaks[of] || isField) && o.fresh().changes(e, of.Type()) {
			o.at(o.leaked, of, e)
		}
	}
}

// mayBe returns the declaration that an identifier names. A method of an interface may be any of its
// name, and so may a member of a value whose type is not known.
func (o *repository) mayBe(id *ast.Ident) []types.Object {
	of := o.info.Uses[id]
	switch x := of.(type) {
	case *types.Func:
		if recv := x.Signature().Recv(); recv == nil || !types.IsInterface(recv.Type()) {
			return []types.Object{x.Origin()}
		}
	case *types.Var:
		return []types.Object{x.Origin()}
	case nil:
		p, ok := o.parents[id].(*ast.SelectorExpr)
		if !ok || p.Sel != id {
			return nil
		}
		if x, ok := p.X.(*ast.Ident); ok {
			if _, ok := o.info.Uses[x].(*types.PkgName); ok { // of a package that is not loaded
				return nil
			}
		}
	default:
		return nil
	}
	file := o.fileOf(id)
	return slices.DeleteFunc(slices.Clone(o.byName[id.Name]), func(of types.Object) bool {
		v, ok := of.(*types.Var)
		return !(ok && v.IsField()) && !isMethod(of) || !imports(file, of.Pkg().Path())
	})
}
