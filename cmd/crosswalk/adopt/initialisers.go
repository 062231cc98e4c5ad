package adopt

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// changers returns the units that change a variable, but for its own, in the order of the source.
func (w *stores) changers(g *ssa.Global) (list []*unit) {
	return slices.SortedFunc(maps.Keys(w.follow(g).changers), func(a, b *unit) int { return cmp.Compare(a.node.Pos(), b.node.Pos()) })
}

// before returns units, and those that mention them directly or by way of others.
func (w *stores) before(units []*unit) map[*unit]bool {
	all := map[*unit]bool{}
	for queue := slices.Clone(units); len(queue) > 0; queue = queue[1:] {
		if u := queue[0]; !all[u] {
			all[u] = true
			for _, o := range u.defs {
				queue = append(queue, w.p.mentioned()[o]...)
			}
		}
	}
	return all
}

// initialisers returns the init functions and variables that change another variable when a program
// starts.
func (w *stores) initialisers(part copyOf, g *ssa.Global) (list []*unit) {
	if list, ok := w.inits[g]; ok {
		return list
	}
	changers := w.changers(g)
	for u := range w.before(changers) {
		f, ok := u.node.(*ast.FuncDecl)
		if w.s.broken[u.pkg.PkgPath] != nil || ok && (f.Name.Name != "init" || f.Recv != nil) || !ok && u.tok != token.VAR || u == w.p.units[g.Object()] {
			continue
		}
		var roots []*ssa.Function
		values := map[*ssa.Function]bool{}
		if ok {
			roots = []*ssa.Function{w.s.declared(u, f)}
		} else {
			pkg := w.s.ssa.Package(u.pkg.Types)
			w.s.build(pkg)
			direct := false
			for _, i := range w.s.initial(pkg, u) {
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
		called := w.started(part, roots, values)
		if slices.ContainsFunc(changers, func(c *unit) bool { return called.includes(c) }) {
			list = append(list, u)
		}
	}
	w.inits[g] = list
	return list
}

// started returns the calls that functions make when a program starts.
func (w *stores) started(part copyOf, roots []*ssa.Function, values map[*ssa.Function]bool) *calls {
	c := newCalls(w.p, w.s, part)
	c.start = &start{values: values}
	c.roots(roots, nil)
	return c
}
