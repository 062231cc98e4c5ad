package state

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Code outside of the loaded packages gets values that lead to memory from exported functions and
// variables. A value that is passed to unknown code, or kept, counts as changed.

// lookup returns a field or method of a type, also one that is not exported.
func lookup(t types.Type, name string) types.Object {
	pkg := (*types.Package)(nil)
	named := t
	if p, ok := t.(*types.Pointer); ok {
		named = p.Elem()
	}
	if n, ok := types.Unalias(named).(*types.Named); ok {
		pkg = n.Obj().Pkg()
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, pkg, name)
	return o
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

// fresh forgets the expressions of an earlier question.
func (o *repository) fresh() *repository {
	clear(o.seen)
	return o
}

// isAssigned reports whether a statement gives an expression another value, or declares it: that changes no
// memory that the old value leads to.
func (o *repository) isAssigned(e ast.Expr) bool {
	assign, ok := o.parents[e].(*ast.AssignStmt)
	return ok && slices.Contains(assign.Lhs, e)
}

// changes reports whether the value of an expression of a type, which leads to the memory, is changed
// or goes where it may be. t is nil if the type is not known.
func (o *repository) changes(e ast.Node, t types.Type) bool {
	if o.seen[e] {
		return false
	}
	o.seen[e] = true
	switch p := o.parents[e].(type) {
	case *ast.ParenExpr:
		return o.changes(p, t)
	case *ast.StarExpr:
		return o.changes(p, element(t))
	case *ast.SelectorExpr:
		return p.X == e && o.selected(p, t)
	case *ast.IndexExpr:
		return p.X == e && o.changes(p, element(t))
	case *ast.SliceExpr:
		return p.X == e && o.changes(p, t)
	case *ast.TypeAssertExpr:
		if p.Type == nil { // of a switch
			return o.changes(p, t)
		}
		return o.changes(p, o.typeOf(p))
	case *ast.CallExpr:
		if p.Fun == e {
			return o.called(p, t)
		}
		return o.argument(p, e, t)
	case *ast.AssignStmt:
		if slices.ContainsFunc(p.Lhs, func(x ast.Expr) bool { return x == e }) {
			return p.Tok != token.DEFINE
		}
		return leads(t) && o.assigned(p, e, t)
	case *ast.ValueSpec, *ast.ReturnStmt, *ast.KeyValueExpr, *ast.CompositeLit:
		return leads(t)
	case *ast.IncDecStmt:
		return true
	case *ast.UnaryExpr:
		_, variable := e.(*ast.Ident)
		return p.Op == token.AND && !(variable && o.isRead(p))
	case *ast.SendStmt:
		return p.Chan == e || leads(t)
	case *ast.RangeStmt:
		return p.X != e || o.ranged(p, t)
	}
	return false
}

// isRead reports whether the address of a variable is an argument of a function that only reads.
func (o *repository) isRead(address *ast.UnaryExpr) bool {
	call, ok := o.parents[address].(*ast.CallExpr)
	return ok && call.Fun != address && readers.MatchString(calledName(call))
}

// leads reports whether a value of a type, which may be unknown, leads to memory: also a function that
// returns it.
func leads(t types.Type) bool {
	_, function := t.(*types.Signature)
	return t == nil || function || carries(t)
}

// selected goes on with a field or a method.
func (o *repository) selected(p *ast.SelectorExpr, t types.Type) bool {
	if t == nil {
		if call, ok := o.parents[p].(*ast.CallExpr); ok && call.Fun == p {
			return !readers.MatchString(p.Sel.Name)
		}
		return o.changes(p, nil)
	}
	switch of := lookup(t, p.Sel.Name).(type) {
	case *types.Var:
		return o.changes(p, of.Type())
	case *types.Func:
		changed, returned := o.method(t, of)
		return changed || returned && o.changes(p, of.Type())
	}
	return o.changes(p, nil)
}

// method reports whether a method changes memory that its receiver leads to, and whether a result
// leads to this memory.
func (o *repository) method(t types.Type, m *types.Func) (changed, returned bool) {
	if d := o.declaration(m.Origin()); d != nil {
		return o.anyUse(m.Origin().Signature().Recv(), t), true
	}
	if !types.IsInterface(t) {
		f := o.w.s.SSA.FuncValue(m.Origin())
		return o.w.changesArgument(f, 0), o.w.returnsArgument(f)
	}
	changed = changes.MatchString(m.Name())
	for concrete := range o.types {
		if f := o.w.method(concrete, m.Pkg(), m.Name()); f != nil && types.Implements(concrete, t.Underlying().(*types.Interface)) {
			changed, returned = changed || o.w.changesArgument(f, 0), returned || o.w.returnsArgument(f)
		}
	}
	return changed, returned
}

// assigned goes on with the variables of a function that get the value.
func (o *repository) assigned(p *ast.AssignStmt, e ast.Node, t types.Type) bool {
	for n, x := range p.Lhs {
		if len(p.Lhs) == len(p.Rhs) && p.Rhs[n] != e {
			continue
		}
		id, ok := x.(*ast.Ident)
		if !ok {
			return true
		}
		of := t
		if tuple, ok := t.(*types.Tuple); ok {
			of = tuple.At(n).Type()
		}
		if id.Name != "_" && leads(of) && (p.Tok != token.DEFINE || o.variableChanges(id, of)) {
			return true
		}
	}
	return false
}

// variableChanges reports whether the memory is changed by a use of a variable, which an identifier
// declares.
func (o *repository) variableChanges(id *ast.Ident, t types.Type) bool {
	if s, ok := o.parents[o.parents[id]].(*ast.TypeSwitchStmt); ok { // each case has a variable of its own
		return slices.ContainsFunc(s.Body.List, func(c ast.Stmt) bool {
			of := o.info.Implicits[c]
			return of != nil && o.anyUse(of, of.Type())
		})
	}
	return o.anyUse(o.info.ObjectOf(id), t)
}

func (o *repository) anyUse(of types.Object, t types.Type) bool {
	return slices.ContainsFunc(o.usesOf(of), func(use *ast.Ident) bool { return !o.isAssigned(use) && o.changes(use, t) })
}

// ranged goes on with the values that a loop takes from a container.
func (o *repository) ranged(p *ast.RangeStmt, t types.Type) bool {
	value := p.Value
	_, isChan := t.(*types.Chan)
	if _, ok := t.(*types.Signature); t == nil || ok || value == nil && isChan {
		value = p.Key
	}
	if value == nil || !leads(element(t)) {
		return false
	}
	id, ok := value.(*ast.Ident)
	return !ok || p.Tok != token.DEFINE || o.variableChanges(id, element(t))
}

// called goes on with the result of a call.
func (o *repository) called(p *ast.CallExpr, t types.Type) bool {
	s, ok := t.(*types.Signature)
	if !ok {
		return o.changes(p, nil)
	}
	switch s.Results().Len() {
	case 0:
		return false
	case 1:
		return leads(s.Results().At(0).Type()) && o.changes(p, s.Results().At(0).Type())
	}
	return leads(s.Results()) && o.changes(p, s.Results())
}

// callee returns the function that a call names, or nil; and the import path of its package, also of one that is not loaded.
func (o *repository) callee(p *ast.CallExpr) (f *types.Func, path string) {
	var id *ast.Ident
	switch e := ast.Unparen(p.Fun).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
		if x, ok := e.X.(*ast.Ident); ok {
			if pkg, ok := o.info.Uses[x].(*types.PkgName); ok {
				path = pkg.Imported().Path()
			}
		}
	}
	if id != nil {
		f, _ = o.info.Uses[id].(*types.Func)
	}
	if f != nil {
		f = f.Origin()
	}
	return f, path
}

// parameter returns a parameter of a function in these files; nil for others, and for a list of arguments.
func (o *repository) parameter(f *types.Func, n int) types.Object {
	if f == nil || o.declaration(f) == nil || n < 0 {
		return nil
	}
	s := f.Signature()
	if n >= s.Params().Len() || s.Variadic() && n == s.Params().Len()-1 {
		return nil
	}
	return s.Params().At(n)
}

// argument reports whether a function changes an argument, or keeps it.
func (o *repository) argument(p *ast.CallExpr, e ast.Node, t types.Type) bool {
	if !leads(t) {
		return false
	}
	at := slices.IndexFunc(p.Args, func(a ast.Expr) bool { return a == e })
	f, path := o.callee(p)
	name := calledName(p)
	if parameter := o.parameter(f, at); parameter != nil {
		return o.anyUse(parameter, t)
	}
	switch first, _, _ := strings.Cut(path, "/"); {
	case path == "":
	case o.w.p.All[path] != nil && f != nil:
		return o.w.changesArgument(o.w.s.SSA.FuncValue(f), at)
	case o.w.p.All[path] == nil && !strings.Contains(first, "."): // the standard library
		return changes.MatchString(name) || path == "reflect" || fills.MatchString(path+"."+name)
	}
	return !readers.MatchString(name)
}
