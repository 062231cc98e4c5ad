package state

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// leaked looks for changes of a variable by way of memory that leads to it: code outside of the loaded
// packages gets it from exported functions and variables. Types are known up to the first package that
// is not loaded. A value that is passed to unknown code, or kept, counts as changed.
type leaked struct {
	guesser
	o    *outside
	seen map[ast.Node]bool
}

// newLeaked prepares a file.
func (o *outside) newLeaked(file *ast.File, imports map[string]string) *leaked {
	g := guesser{tree: newTree(file, imports), loaded: o.p.All, locals: map[local]types.Type{}}
	return &leaked{guesser: g, o: o, seen: map[ast.Node]bool{}}
}

// fresh forgets the expressions of an earlier question.
func (l *leaked) fresh() *leaked {
	clear(l.seen)
	return l
}

// changes reports whether the value of an expression of a type, which leads to the memory, is changed
// or goes where it may be. t is nil if the type is not known.
func (l *leaked) changes(e ast.Node, t types.Type) bool {
	if l.seen[e] {
		return false
	}
	l.seen[e] = true
	switch p := l.parents[e].(type) {
	case *ast.ParenExpr:
		return l.changes(p, t)
	case *ast.StarExpr:
		return l.changes(p, element(t))
	case *ast.SelectorExpr:
		if p.X == e {
			return l.selector(p, t)
		}
		return l.changes(p, t) // the name of an imported package is before it
	case *ast.IndexExpr:
		return p.X == e && l.changes(p, element(t))
	case *ast.SliceExpr:
		return p.X == e && l.changes(p, t)
	case *ast.TypeAssertExpr:
		return l.changes(p, l.named(p.Type))
	case *ast.CallExpr:
		if p.Fun == e {
			return l.called(p, t)
		}
		return l.argument(p, e, t)
	case *ast.AssignStmt:
		if slices.ContainsFunc(p.Lhs, func(x ast.Expr) bool { return x == e }) {
			return p.Tok != token.DEFINE
		}
		return leads(t) && l.assigned(p, e, t)
	case *ast.ValueSpec, *ast.ReturnStmt, *ast.KeyValueExpr, *ast.CompositeLit:
		return leads(t)
	case *ast.IncDecStmt:
		return true
	case *ast.UnaryExpr:
		_, variable := e.(*ast.Ident)
		return p.Op == token.AND && (!variable || l.address(p, t))
	case *ast.SendStmt:
		return p.Chan == e || leads(t)
	case *ast.RangeStmt:
		return p.X != e || l.ranged(p, t)
	}
	return false
}

// leads reports whether a value of a type, which may be unknown, leads to memory: also a function that
// returns it.
func leads(t types.Type) bool {
	_, function := t.(*types.Signature)
	return t == nil || function || carries(t)
}

// selector goes on with a field or a method.
func (l *leaked) selector(p *ast.SelectorExpr, t types.Type) bool {
	if t == nil {
		if call, ok := l.parents[p].(*ast.CallExpr); ok && call.Fun == p {
			return !readers.MatchString(p.Sel.Name)
		}
		return l.changes(p, nil)
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, pkgOf(t), p.Sel.Name)
	switch o := o.(type) {
	case *types.Var:
		return l.changes(p, o.Type())
	case *types.Func:
		changed, returned := l.method(t, o)
		return changed || returned && l.changes(p, o.Type())
	}
	return l.changes(p, nil)
}

// assigned goes on with the variables of a function that get the value.
func (l *leaked) assigned(p *ast.AssignStmt, e ast.Node, t types.Type) bool {
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
		if id.Name == "_" || !leads(of) {
			continue
		}
		in := l.function(p)
		if in == nil || p.Tok != token.DEFINE || l.uses(in, id, of) {
			return true
		}
	}
	return false
}

// uses reports whether the memory is changed by a use of a variable of a function.
func (l *leaked) uses(in ast.Node, id *ast.Ident, t types.Type) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		if use, ok := n.(*ast.Ident); ok && use != id && use.Name == id.Name && !found && !l.isName(use) && !l.replaced(use) {
			found = l.changes(use, t)
		}
		return !found
	})
	return found
}

// ranged goes on with the values that a loop takes from a container.
func (l *leaked) ranged(p *ast.RangeStmt, t types.Type) bool {
	value := p.Value
	if _, ok := t.(*types.Signature); t == nil || ok || value == nil && isChan(t) {
		value = p.Key
	}
	if value == nil || !leads(element(t)) {
		return false
	}
	id, ok := value.(*ast.Ident)
	return !ok || p.Tok != token.DEFINE || l.uses(p.Body, id, element(t))
}

func isChan(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}
