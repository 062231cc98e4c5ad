package adopt

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// reachEffects reaches the initialisers that change a variable which conversions mention, also by
// way of functions that they call: an init function, or a variable whose initial value is the
// result of such a function. It reports whether anything changed.
func (x *extraction) reachEffects(roots []types.Object) bool {
	s := x.hidden.proof
	if s == nil {
		return false
	}
	before := len(x.reached)
	functions, objects := s.entries(roots)
	for g := range s.follow(x, functions, objects).globals {
		if u := x.units[g.Object()]; u == nil || !x.reached[u] || isLock(g) || loggers.MatchString(u.pkg.PkgPath) {
			continue
		}
		for _, u := range s.stores(x).initialisers(x, g) {
			x.reachUnit(u)
			x.effects[u.pkg.PkgPath] = true
		}
	}
	return len(x.reached) > before
}

// effectful returns the packages with such initialisers: nothing else in the module need import them.
func (x *extraction) effectful() []string {
	paths := slices.Sorted(maps.Keys(x.effects))
	return slices.DeleteFunc(paths, func(path string) bool { return x.program.isSetUp(x.program.all[path]) })
}

// entries returns the SSA form of functions, and the types, among roots.
func (s *proof) entries(roots []types.Object) (functions []*ssa.Function, objects []types.Type) {
	for _, o := range roots {
		switch o := o.(type) {
		case *types.Func:
			functions = append(functions, s.ssa.FuncValue(o))
		case *types.TypeName:
			objects = append(objects, types.NewPointer(o.Type()))
		}
	}
	return functions, objects
}

// conversions returns the functions that a module of a kind calls, and the types that it decodes and
// encodes.
func (s *proof) conversions(k kind) (roots []*ssa.Function, objects []types.Type) {
	for _, v := range k.versions() {
		objects = append(objects, types.NewPointer(v.named))
		for _, f := range []*types.Func{v.to, v.from, v.defaults} {
			if f != nil {
				roots = append(roots, s.ssa.FuncValue(f))
			}
		}
	}
	return roots, objects
}

func (s *proof) stores(x *extraction) *stores {
	if s.changes == nil {
		s.changes = &stores{
			s: s, p: x.program, inits: map[*ssa.Global][]*unit{},
			summaries: map[*ssa.Parameter]*effects{}, followed: map[*ssa.Global]*reachability{},
		}
	}
	return s.changes
}

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
func (w *stores) initialisers(x *extraction, g *ssa.Global) (list []*unit) {
	if list, ok := w.inits[g]; ok {
		return list
	}
	changers := w.changers(g)
	for u := range w.before(changers) {
		f, ok := u.node.(*ast.FuncDecl)
		if w.s.broken[u.pkg.PkgPath] != nil || ok && (f.Name.Name != "init" || f.Recv != nil) || !ok && u.tok != token.VAR || u == x.units[g.Object()] {
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
		called := w.s.calls(x)
		called.start = &start{values: values}
		called.roots(roots, nil)
		if slices.ContainsFunc(changers, func(c *unit) bool { return called.includes(c) }) {
			list = append(list, u)
		}
	}
	w.inits[g] = list
	return list
}

// includes reports whether a function declared by a unit, or within it, is called.
func (c *calls) includes(u *unit) bool {
	if f, ok := u.node.(*ast.FuncDecl); ok {
		return c.functions[c.s.declared(u, f)]
	}
	if init := c.s.ssa.Package(u.pkg.Types).Func("init"); init != nil {
		for _, inner := range init.AnonFuncs {
			if u.node.Pos() <= inner.Pos() && inner.Pos() <= u.node.End() && c.functions[inner] {
				return true
			}
		}
	}
	return false
}

// initial returns the instructions that give the variables of a unit their initial values. One
// without a position belongs to the unit of the next that has one: a variable's own comes last.
func (s *proof) initial(pkg *ssa.Package, u *unit) (list []ssa.Instruction) {
	f := pkg.Func("init")
	if f == nil {
		return nil
	}
	var waiting []ssa.Instruction
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(*ssa.Call); ok && isInit(call.Call.StaticCallee()) {
				waiting = nil
				continue
			}
			waiting = append(waiting, i)
			if p := i.Pos(); p != token.NoPos {
				if u.node.Pos() <= p && p <= u.node.End() {
					list = append(list, waiting...)
				}
				waiting = nil
			}
		}
	}
	return list
}

// isInit reports whether a function initialises a package.
func isInit(f *ssa.Function) bool {
	return f != nil && f.Signature.Recv() == nil && (f.Name() == "init" || len(f.Name()) > 5 && f.Name()[:5] == "init#")
}
