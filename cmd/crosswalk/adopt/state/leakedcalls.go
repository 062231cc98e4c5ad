package state

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// method reports whether a method changes memory that its receiver leads to, and whether a result
// leads to this memory.
func (l *leaked) method(t types.Type, m *types.Func) (changed, returned bool) {
	w := l.o.w
	if !types.IsInterface(t) {
		f := w.s.SSA.FuncValue(m.Origin())
		return w.changesArgument(f, 0), w.returnsArgument(f, 0)
	}
	changed = changes.MatchString(m.Name())
	for concrete := range l.o.types {
		if f := w.method(concrete, m.Pkg(), m.Name()); f != nil && types.Implements(concrete, t.Underlying().(*types.Interface)) {
			changed, returned = changed || w.changesArgument(f, 0), returned || w.returnsArgument(f, 0)
		}
	}
	return changed, returned
}

// changesReceiver reports whether a selector of a variable, or of a part of it, is of a method that
// changes its receiver.
func (l *leaked) changesReceiver(n *ast.SelectorExpr, of symbol) bool {
	t := l.guess(n.X, 0)
	if t == nil && l.loaded[of.path] != nil { // in a file of the variable's package, perhaps
		id, ok := ast.Unparen(n.X).(*ast.Ident)
		if o := l.loaded[of.path].Types.Scope().Lookup(of.name); o != nil && idName(id, ok) == of.name {
			t = o.Type()
		}
	}
	if t == nil {
		return false
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, pkgOf(t), n.Sel.Name)
	m, ok := o.(*types.Func)
	if !ok {
		return false
	}
	changed, _ := l.method(t, m)
	return changed
}

// called goes on with the result of a call.
func (l *leaked) called(p *ast.CallExpr, t types.Type) bool {
	s, ok := t.(*types.Signature)
	if !ok {
		return l.changes(p, nil)
	}
	switch s.Results().Len() {
	case 0:
		return false
	case 1:
		return leads(s.Results().At(0).Type()) && l.changes(p, s.Results().At(0).Type())
	}
	return leads(s.Results()) && l.changes(p, s.Results())
}

// argument reports whether a function changes an argument, or keeps it.
func (l *leaked) argument(p *ast.CallExpr, e ast.Node, t types.Type) bool {
	if !leads(t) {
		return false
	}
	name := ""
	switch f := ast.Unparen(p.Fun).(type) {
	case *ast.Ident:
		name = f.Name
		if parameter, body := l.parameter(name, slices.IndexFunc(p.Args, func(a ast.Expr) bool { return a == e })); body != nil {
			return l.uses(body, parameter, t)
		}
	case *ast.SelectorExpr:
		name = f.Sel.Name
		id, ok := f.X.(*ast.Ident)
		if !ok || l.imports[id.Name] == "" {
			break
		}
		if pkg := l.o.p.All[l.imports[id.Name]]; pkg != nil && pkg.Types != nil {
			if o, ok := pkg.Types.Scope().Lookup(name).(*types.Func); ok {
				at := slices.IndexFunc(p.Args, func(a ast.Expr) bool { return a == e })
				return l.o.w.changesArgument(l.o.w.s.SSA.FuncValue(o), at)
			}
		} else if first, _, _ := strings.Cut(l.imports[id.Name], "/"); !strings.Contains(first, ".") { // the standard library
			return changes.MatchString(name) || l.imports[id.Name] == "reflect" || fills.MatchString(l.imports[id.Name]+"."+name)
		}
	}
	return !readers.MatchString(name)
}

// fills reports whether memory that a function stores in a variable of its caller is changed. The
// function is named by an expression, and n is the parameter, or -1 for the receiver.
func (l *leaked) fills(f ast.Expr, n int) bool {
	call, ok := l.parents[f].(*ast.CallExpr)
	if !ok || call.Fun != f {
		return true // the function is a value
	}
	var e ast.Expr
	if selector, ok := f.(*ast.SelectorExpr); n < 0 && ok {
		e = selector.X
	} else if n >= 0 && n < len(call.Args) {
		e = call.Args[n]
	}
	e = ast.Unparen(e)
	if address, ok := e.(*ast.UnaryExpr); ok {
		e = ast.Unparen(address.X)
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return true
	}
	if id.Name == "nil" {
		return false
	}
	in := l.function(call)
	if in == nil || !l.declares(in, id.Name) {
		return true
	}
	l.seen[id] = true
	return l.uses(in, id, l.guess(id, 0))
}

// address reports whether the address of a variable of type t, whose value leads to the memory, goes
// where the memory may be changed.
func (l *leaked) address(e *ast.UnaryExpr, t types.Type) bool {
	call, ok := l.parents[e].(*ast.CallExpr)
	at := -1
	if ok {
		at = slices.IndexFunc(call.Args, func(a ast.Expr) bool { return a == e })
	}
	if at < 0 {
		return true
	}
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		if parameter, body := l.parameter(f.Name, at); body != nil {
			if t != nil {
				t = types.NewPointer(t)
			}
			return l.uses(body, parameter, t)
		}
	case *ast.SelectorExpr:
		id, ok := f.X.(*ast.Ident)
		path := l.imports[idName(id, ok)]
		if pkg := l.o.p.All[path]; pkg != nil && pkg.Types != nil {
			if o, ok := pkg.Types.Scope().Lookup(f.Sel.Name).(*types.Func); ok {
				return l.o.w.changesHeld(l.o.w.s.SSA.FuncValue(o), at)
			}
		}
		return !readers.MatchString(f.Sel.Name)
	}
	return true
}

// changesArgument reports whether a function changes memory that a parameter leads to, or keeps it.
func (w *Memory) changesArgument(f *ssa.Function, n int) bool {
	if f == nil || n < 0 {
		return true
	}
	if w.s.Build(f.Pkg); len(f.Blocks) == 0 {
		return changesOuter(f)
	}
	if n = min(n, len(f.Params)-1); n < 0 {
		return false
	}
	e := w.summary(f.Params[n])
	return e.change != token.NoPos || len(e.holders) > 0
}

// returnsArgument reports whether a result of a function leads to memory that a parameter leads to.
func (w *Memory) returnsArgument(f *ssa.Function, n int) bool {
	if f == nil {
		return true
	}
	if w.s.Build(f.Pkg); len(f.Blocks) == 0 {
		return !fresh.MatchString(f.Name())
	}
	if n >= len(f.Params) {
		return false
	}
	for r := range w.summary(f.Params[n]).returns {
		if r.f == f {
			return true
		}
	}
	return false
}
