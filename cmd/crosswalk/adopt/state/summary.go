package state

import (
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"
)

// summary returns the effects of a function on memory that a parameter leads to.
func (w *Memory) summary(p *ssa.Parameter) *effects {
	return w.once(w.summaries, p, func(f *flow) {
		if carries(p.Type()) {
			f.of(p)
		}
	})
}

// held returns the effects of a function on memory to which a parameter's variable, map or slice leads.
func (w *Memory) held(p *ssa.Parameter) *effects {
	return w.once(w.heldBy, p, func(f *flow) { f.hold(p) })
}

// once returns the known effects of a parameter, or those that follow finds.
func (w *Memory) once(known map[*ssa.Parameter]*effects, p *ssa.Parameter, follow func(*flow)) *effects {
	if e := known[p]; e != nil {
		return e // of a recursive call, so far
	}
	f := w.flow()
	known[p] = f.effects
	follow(f)
	w.dispatch(f.effects)
	return f.effects
}

// dispatch adds the effects of methods that are called by way of interfaces.
func (w *Memory) dispatch(e *effects) {
	for done := map[*ssa.Function]bool{}; ; {
		before := len(done)
		for t := range maps.Clone(e.types) {
			for m := range maps.Clone(e.invoked) {
				if f := w.method(t, m.Pkg(), m.Name()); f != nil && !done[f] {
					done[f] = true
					if w.s.Build(f.Pkg); len(f.Blocks) > 0 {
						e.add(w.summary(f.Params[0]), f.Pos())
					}
				}
			}
		}
		if len(done) == before {
			return
		}
	}
}

// method returns a method of a type; nil if the type has none of the name.
func (w *Memory) method(t types.Type, pkg *types.Package, name string) *ssa.Function {
	if types.IsInterface(t) {
		return nil
	}
	s := w.s.SSA.MethodSets.MethodSet(t).Lookup(pkg, name)
	if s == nil {
		return nil
	}
	f := w.s.SSA.MethodValue(s)
	if f != nil && f.Origin() != nil {
		return f.Origin()
	}
	return f
}
