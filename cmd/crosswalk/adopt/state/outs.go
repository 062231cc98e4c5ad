package state

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// out is a parameter of a function that stores memory in its caller's variable, map or slice. It
// does not count a receiver, which is -1.
type out struct {
	of types.Object
	n  int
}

// filled follows the memory that a callee stores where an argument of a call leads to.
func (f *flow) filled(i ssa.CallInstruction, callee *ssa.Function, p *ssa.Parameter) {
	args := i.Common().Args
	n := slices.Index(callee.Params, p)
	if n < 0 || n >= len(args) {
		return
	}
	switch a := args[n].(type) {
	case *ssa.Global:
		f.into(a, false)
	case *ssa.MakeInterface:
		f.hold(a.X)
	case *ssa.FieldAddr:
		f.filledField(a)
	default:
		f.hold(a)
	}
}

// filledField follows a field of one struct: other structs have the field, too.
func (f *flow) filledField(a *ssa.FieldAddr) {
	f.hold(a)
	if in := variableOf(a.X); in != nil {
		f.holders[holder{of: code.FieldOf(a.X.Type(), a.Field).Origin(), in: in}] = true
	}
	if a.X.Referrers() == nil {
		return
	}
	for _, i := range *a.X.Referrers() { // each mention of a field is an address of its own
		if other, ok := i.(*ssa.FieldAddr); ok && other.Field == a.Field {
			f.hold(other)
		}
	}
}

// variableOf returns the package variable that is a struct, or that points to it; nil for other structs.
func variableOf(v ssa.Value) types.Object {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	if g, ok := v.(*ssa.Global); ok {
		return g.Object()
	}
	return nil
}

// calls follows a parameter of a function into which memory is stored, from a call.
func (f *flow) calls(i ssa.Instruction, p *ssa.Parameter) {
	if call, ok := i.(ssa.CallInstruction); ok {
		if callee := call.Common().StaticCallee(); callee != nil && (callee == p.Parent() || callee.Origin() == p.Parent()) {
			f.filled(call, p.Parent(), p)
		}
	}
}

// heldCall follows a map, slice or variable that has the memory in it into a call.
func (f *flow) heldCall(i ssa.CallInstruction, v ssa.Value) {
	callee := i.Common().StaticCallee()
	if callee == nil {
		return
	}
	if origin := callee.Origin(); origin != nil {
		callee = origin
	}
	f.w.s.Build(callee.Pkg)
	for n, a := range i.Common().Args {
		if a != v || n >= len(callee.Params) || len(callee.Blocks) == 0 {
			continue
		}
		e := f.w.held(callee.Params[n])
		f.add(e, i.Pos())
		for r := range e.returns {
			if r.f == callee {
				f.result(i, r.n)
			}
		}
		for p := range e.params {
			if p != callee.Params[n] {
				f.filled(i, callee, p)
			}
		}
	}
}

// outOf returns a parameter as callers name it.
func outOf(of types.Object, p *ssa.Parameter) out {
	n := slices.Index(p.Parent().Params, p)
	if isMethod(of) {
		n--
	}
	return out{of, n}
}

func isAlloc(v ssa.Value) bool {
	_, ok := v.(*ssa.Alloc)
	return ok
}

// changesHeld reports whether a function changes memory to which the variable, map or slice leads that it gets
// as an argument, or keeps it.
func (w *Memory) changesHeld(f *ssa.Function, n int) bool {
	if f == nil {
		return true
	}
	if w.s.Build(f.Pkg); len(f.Blocks) == 0 || n >= len(f.Params) {
		return changesOuter(f)
	}
	e := w.held(f.Params[n])
	return e.change != token.NoPos || len(e.holders) > 0
}
