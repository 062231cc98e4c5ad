package state

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// changers returns the units that change a variable, but for its own, in the order of the source.
func (w *Memory) changers(g *ssa.Global) (list []*code.Unit) {
	return slices.SortedFunc(maps.Keys(w.follow(g).changers), func(a, b *code.Unit) int { return cmp.Compare(a.Node.Pos(), b.Node.Pos()) })
}

// before returns units, and those that mention them directly or by way of others.
func (w *Memory) before(units []*code.Unit) map[*code.Unit]bool {
	all := map[*code.Unit]bool{}
	for queue := slices.Clone(units); len(queue) > 0; queue = queue[1:] {
		if u := queue[0]; !all[u] {
			all[u] = true
			for _, o := range u.Defs {
				queue = append(queue, w.p.Mentioned()[o]...)
			}
		}
	}
	return all
}

// initialisers returns the init functions and variables that change another variable when a program
// starts.
func (w *Memory) initialisers(part calls.Copy, g *ssa.Global) (list []*code.Unit) {
	if list, ok := w.inits[g]; ok {
		return list
	}
	changers := w.changers(g)
	for u := range w.before(changers) {
		f, ok := u.Node.(*ast.FuncDecl)
		if w.s.Broken[u.Package.PkgPath] != nil || ok && (f.Name.Name != "init" || f.Recv != nil) || !ok && u.Tok != token.VAR || u == w.p.Units[g.Object()] {
			continue
		}
		var roots []*ssa.Function
		values := map[*ssa.Function]bool{}
		if ok {
			roots = []*ssa.Function{w.s.Declared(u, f)}
		} else {
			pkg := w.s.SSA.Package(u.Package.Types)
			w.s.Build(pkg)
			direct := false
			for _, i := range w.s.Initial(pkg, u) {
				direct = direct || w.mention(i, g)
				if call, ok := i.(*ssa.Call); ok && call.Call.StaticCallee() != nil {
					roots = append(roots, call.Call.StaticCallee())
				}
				for _, operand := range i.Operands(nil) {
					if f, ok := (*operand).(*ssa.Function); ok {
						values[f] = true
					}
				}
			}
			if direct {
				list = append(list, u)
				continue
			}
		}
		called := calls.Started(w.p, w.s, part, roots, values)
		if slices.ContainsFunc(changers, func(c *code.Unit) bool { return called.Includes(c) }) {
			list = append(list, u)
		}
	}
	w.inits[g] = list
	return list
}
