package state

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// out is a parameter of a function that stores memory in its caller's variable, map or slice. It
// does not count a receiver, which is -1.
type out struct {
	of types.Object
	n  int
}

// filled follows the memory that a callee stores where an argument of a call leads to.
func (f places) filled(i ssa.CallInstruction, callee *ssa.Function, p *ssa.Parameter) {
	args := i.Common().Args
	switch n := slices.Index(callee.Params, p); {
	case n < 0: // of a function that the callee calls
		f.param(p)
	case n < len(args):
		f.fill(args[n])
	}
}

// fill follows memory that is stored where a value leads to.
func (f places) fill(v ssa.Value) {
	switch v := v.(type) {
	case *ssa.Global:
		f.store(v, false)
	case *ssa.MakeInterface:
		f.fill(v.X)
	case *ssa.FieldAddr:
		f.fillField(v)
	case *ssa.IndexAddr:
		f.hold(v)
		f.hold(v.X)
	case *ssa.Slice:
		f.hold(v)
		for _, x := range elements(v) {
			f.fill(x)
		}
	default:
		f.hold(v)
	}
}

// fillField follows a field of one struct if no other function gets the struct; otherwise that of all structs.
func (f places) fillField(a *ssa.FieldAddr) {
	f.hold(a)
	in, ok := a.X.(*ssa.Alloc)
	if !ok || !staysIn(in) {
		f.store(a, false)
		return
	}
	for _, i := range *in.Referrers() { // each mention of a field is an address of its own
		if other, ok := i.(*ssa.FieldAddr); ok && other.Field == a.Field {
			f.hold(other)
		}
	}
}

// calls follows a parameter of a function into which memory is stored, from a call.
func (f *flow) calls(i ssa.Instruction, p *ssa.Parameter) {
	if call, ok := i.(ssa.CallInstruction); ok {
		if callee := call.Common().StaticCallee(); callee != nil && (callee == p.Parent() || callee.Origin() == p.Parent()) {
			places{f}.filled(call, p.Parent(), p)
		}
	}
	f.asValue(i, p.Parent())
}

// heldCall follows a map, slice or variable that has the memory in it into a call.
func (f places) heldCall(i ssa.CallInstruction, v ssa.Value) {
	callee := i.Common().StaticCallee()
	if b, ok := i.Common().Value.(*ssa.Builtin); ok {
		f.heldBuiltin(i, b.Name(), v)
		return
	}
	if callee == nil {
		f.unknown(i, v)
		return
	}
	if origin := callee.Origin(); origin != nil {
		callee = origin
	}
	if f.w.s.Build(callee.Pkg); len(callee.Blocks) == 0 {
		if changesOuter(callee) { // such as json.Unmarshal, which uses the memory at a pointer
			f.changed(i.Pos(), i)
		}
		return
	}
	if isCopy(callee) {
		return
	}
	for n, a := range i.Common().Args {
		if a != v || n >= len(callee.Params) {
			continue
		}
		e := f.w.held(callee.Params[n])
		f.add(e, i.Pos())
		for r := range e.returns {
			if r.f == callee {
				f.result(i, r)
			}
		}
		for p := range e.params {
			if p != callee.Params[n] {
				f.filled(i, callee, p)
			}
		}
	}
}

func (f places) heldBuiltin(i ssa.CallInstruction, name string, v ssa.Value) {
	args := i.Common().Args
	switch {
	case name == "append" && i.Value() != nil:
		f.hold(i.Value())
	case name == "copy" && args[1] == v:
		f.hold(args[0])
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
