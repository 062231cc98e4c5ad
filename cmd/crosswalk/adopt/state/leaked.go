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
	o       *outside
	file    *ast.File
	imports map[string]string
	parents map[ast.Node]ast.Node
	seen    map[ast.Node]bool
	locals  map[local]types.Type // that were guessed
}

// newLeaked prepares a file.
func (o *outside) newLeaked(file *ast.File, imports map[string]string) *leaked {
	l := &leaked{o: o, file: file, imports: imports, parents: map[ast.Node]ast.Node{}, seen: map[ast.Node]bool{}, locals: map[local]types.Type{}}
	var above []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return false
		}
		if len(above) > 0 {
			l.parents[n] = above[len(above)-1]
		}
		above = append(above, n)
		return true
	})
	return l
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

// function returns the declaration of the function that a node is in.
func (l *leaked) function(n ast.Node) *ast.FuncDecl {
	for ; n != nil; n = l.parents[n] {
		if f, ok := n.(*ast.FuncDecl); ok {
			return f
		}
	}
	return nil
}

// parameter returns a parameter of a function that the file declares, and the function's body.
func (l *leaked) parameter(name string, n int) (*ast.Ident, *ast.BlockStmt) {
	for _, d := range l.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Name.Name != name || f.Body == nil {
			continue
		}
		for _, p := range f.Type.Params.List {
			for _, id := range p.Names {
				if _, several := p.Type.(*ast.Ellipsis); n == 0 && !several {
					return id, f.Body
				}
				n--
			}
		}
	}
	return nil, nil
}

// isName reports whether an identifier is the name of a field or method, and no variable.
func (l *leaked) isName(id *ast.Ident) bool {
	switch p := l.parents[id].(type) {
	case *ast.SelectorExpr:
		return p.Sel == id
	case *ast.KeyValueExpr:
		return p.Key == id
	}
	return false
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
