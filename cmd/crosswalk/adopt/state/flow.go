package state

import (
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// effects are the changes of memory that a value leads to, and the places where it goes.
type effects struct {
	change  token.Pos // the first place that changes it; NoPos if there is none
	returns map[result]bool
	holders map[holder]bool // that lead to it from then on
	params  map[*ssa.Parameter]bool
	types   map[types.Type]bool  // of pointers to it in interfaces
	invoked map[*types.Func]bool // methods of interfaces that are called for it
}

// holder is a field or a package variable whose value leads to the memory: it has the address, or is
// a map, slice or channel with the address in it.
type holder struct {
	of        types.Object
	in        types.Object // the package variable whose field it is, if a callee stored the address there
	container bool
}

// result is a result of a function.
type result struct {
	f *ssa.Function
	n int
}

func newEffects() *effects {
	return &effects{
		returns: map[result]bool{}, holders: map[holder]bool{}, params: map[*ssa.Parameter]bool{}, types: map[types.Type]bool{}, invoked: map[*types.Func]bool{},
	}
}

// add adds the effects that a callee has, at the place of the call.
func (e *effects) add(callee *effects, at token.Pos) {
	if callee.change != token.NoPos && e.change == token.NoPos {
		e.change = at
	}
	maps.Copy(e.holders, callee.holders)
	maps.Copy(e.types, callee.types)
	maps.Copy(e.invoked, callee.invoked)
}

// flow follows a value through one function, its closures, and the functions that they call.
type flow struct {
	w    *Memory
	seen map[ssa.Value]bool
	*effects
}

func (w *Memory) flow() *flow { return &flow{w: w, seen: map[ssa.Value]bool{}, effects: newEffects()} }

// of follows a value: the address of the memory, or a value that has its address in it.
func (f *flow) of(v ssa.Value) {
	if f.seen[v] || v.Referrers() == nil {
		return
	}
	f.seen[v] = true
	for _, i := range *v.Referrers() {
		f.use(i, v)
	}
}

// carried follows the value of an instruction if its type can lead to memory.
func (f *flow) carried(i ssa.Instruction) {
	if v, ok := i.(ssa.Value); ok && carries(v.Type()) {
		f.of(v)
	}
}

func (f *flow) changed(at token.Pos, i ssa.Instruction) {
	if f.change == token.NoPos {
		if f.change = at; at == token.NoPos {
			f.change = i.Parent().Pos()
		}
	}
}

func (f *flow) use(i ssa.Instruction, v ssa.Value) {
	switch i := i.(type) {
	case *ssa.Store:
		if i.Addr == v {
			f.changed(i.Pos(), i)
		} else {
			f.into(i.Addr, false)
		}
	case *ssa.MapUpdate:
		if i.Map == v {
			f.changed(i.Pos(), i)
		} else {
			f.hold(i.Map)
		}
	case *ssa.Send:
		if i.Chan == v {
			f.changed(i.Pos(), i)
		} else {
			f.hold(i.Chan)
		}
	case *ssa.Select:
		for _, state := range i.States {
			if state.Dir == types.SendOnly && state.Chan == v {
				f.changed(state.Pos, i)
			}
		}
	case *ssa.Return:
		for n, r := range i.Results {
			if r == v {
				f.returns[result{i.Parent(), n}] = true
			}
		}
	case *ssa.MakeClosure:
		for n, bound := range i.Bindings {
			if bound == v {
				f.of(i.Fn.(*ssa.Function).FreeVars[n])
			}
		}
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.Range:
		f.of(i.(ssa.Value))
	case *ssa.MakeInterface:
		if carries(v.Type()) {
			f.types[v.Type()] = true
			f.of(i)
		}
	case *ssa.UnOp:
		if i.Op == token.MUL || i.Op == token.ARROW {
			f.carried(i)
		}
	case *ssa.Lookup:
		if i.X == v {
			f.carried(i)
		}
	case *ssa.Phi, *ssa.ChangeType, *ssa.Convert, *ssa.MultiConvert, *ssa.SliceToArrayPointer, *ssa.ChangeInterface, *ssa.TypeAssert,
		*ssa.Index, *ssa.Field, *ssa.Extract, *ssa.Next:
		f.carried(i)
	case ssa.CallInstruction:
		f.call(i, v)
	}
}

// into follows a value that is stored at an address, or a container that is there.
func (f *flow) into(address ssa.Value, container bool) {
	var o types.Object
	switch a := address.(type) {
	case *ssa.Global:
		o = a.Object()
	case *ssa.FieldAddr:
		o = code.FieldOf(a.X.Type(), a.Field)
	case *ssa.Alloc, *ssa.FreeVar:
		f.hold(a)
	case *ssa.IndexAddr:
		f.hold(a.X)
	case *ssa.Parameter:
		f.params[a] = true
	case *ssa.UnOp:
		f.into(a.X, container)
	case *ssa.TypeAssert:
		f.into(a.X, container)
	case *ssa.Extract:
		f.into(a.Tuple, container)
	}
	if v, ok := o.(*types.Var); ok {
		f.holders[holder{of: v.Origin(), container: container}] = true
	}
}

// hold follows a map, slice, channel or variable that has the value in it now: in function's closures,
// and where the map was found.
func (f *flow) hold(v ssa.Value) {
	if f.seen[v] {
		return
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		f.seen[v] = true
		f.into(v.X, true)
	case *ssa.Slice:
		f.hold(v.X)
	case *ssa.Parameter:
		f.params[v] = true
	}
	f.seen[v] = true
	if v.Referrers() == nil {
		return
	}
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.UnOp, *ssa.Lookup, *ssa.Index:
			f.carried(i)
		case *ssa.Range:
			f.of(i)
		case *ssa.IndexAddr, *ssa.FieldAddr:
			f.loads(i.(ssa.Value), false)
		case *ssa.Slice, *ssa.MakeInterface, *ssa.ChangeType:
			f.hold(i.(ssa.Value))
		case *ssa.Store:
			if i.Val == v {
				f.into(i.Addr, true)
			}
		case *ssa.MakeClosure:
			for n, bound := range i.Bindings {
				if bound == v {
					f.hold(i.Fn.(*ssa.Function).FreeVars[n])
				}
			}
		case ssa.CallInstruction:
			if _, ok := v.(*ssa.Slice); ok { // a list of arguments
				f.call(i, v)
			} else {
				f.heldCall(i, v)
			}
		case *ssa.Return:
			for n, r := range i.Results {
				if r == v && !isAlloc(v) {
					f.returns[result{i.Parent(), n}] = true
				}
			}
		}
	}
}

// loads follows values that are loaded from an address, or from a part of the memory there.
func (f *flow) loads(address ssa.Value, container bool) {
	for _, i := range *address.Referrers() {
		f.load(i, container)
	}
}

func (f *flow) load(i ssa.Instruction, container bool) {
	switch i := i.(type) {
	case *ssa.UnOp:
		if container {
			f.hold(i)
		} else {
			f.carried(i)
		}
	case *ssa.FieldAddr:
		f.loads(i, container)
	case *ssa.IndexAddr:
		f.loads(i, container)
	}
}
