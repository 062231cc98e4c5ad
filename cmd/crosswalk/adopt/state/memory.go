package state

import (
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// Memory finds the functions that change a variable: its value, or memory that it points to.
type Memory struct {
	s     *code.Functions
	p     *code.Program
	inits map[*ssa.Global][]*code.Unit // made by initialisers

	summaries map[*ssa.Parameter]*effects
	heldBy    map[*ssa.Parameter]*effects
	followed  map[*ssa.Global]*reachability
}

// NewMemory returns the memory of a program's variables.
func NewMemory(p *code.Program, s *code.Functions) *Memory {
	return &Memory{s: s, p: p, inits: map[*ssa.Global][]*code.Unit{}, summaries: map[*ssa.Parameter]*effects{}, heldBy: map[*ssa.Parameter]*effects{}, followed: map[*ssa.Global]*reachability{}}
}

// mention reports whether an instruction mentions a variable to change it.
func (w *Memory) mention(i ssa.Instruction, g *ssa.Global) bool {
	f := w.flow()
	f.mention(i, g)
	return f.change != token.NoPos
}

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
	return w.once(w.heldBy, p, func(f *flow) { places{f}.hold(p) })
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
