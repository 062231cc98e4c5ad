package state

import (
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"
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
	container bool
}

// result is a result of a function: the address of the memory, or of a variable that holds the address.
type result struct {
	f    *ssa.Function
	n    int
	held bool
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
	w       *Memory
	seen    map[ssa.Value]bool
	holding map[ssa.Value]bool // see hold
	into    map[target]bool    // where it was stored
	lazily  bool               // changes in the function of a sync.Once do not count
	*effects
}

func (w *Memory) flow() *flow {
	return &flow{w: w, seen: map[ssa.Value]bool{}, holding: map[ssa.Value]bool{}, into: map[target]bool{}, effects: newEffects()}
}

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
			places{f}.store(i.Addr, false)
		}
	case *ssa.MapUpdate:
		if i.Map == v {
			f.changed(i.Pos(), i)
		} else {
			places{f}.hold(i.Map)
		}
	case *ssa.Send:
		if i.Chan == v {
			f.changed(i.Pos(), i)
		} else {
			places{f}.hold(i.Chan)
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
				f.returned(result{f: i.Parent(), n: n})
			}
		}
	case *ssa.MakeClosure:
		if f.lazily && isOnce(i.Fn.(*ssa.Function)) {
			return
		}
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
