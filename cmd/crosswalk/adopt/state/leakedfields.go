package state

import (
	"go/ast"
	"go/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

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
