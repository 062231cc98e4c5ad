package state

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// target is an address at which the memory's address is stored, or a container with it.
type target struct {
	address   ssa.Value
	container bool
}

// places follows where the memory's address is kept.
type places struct{ *flow }

// store follows a value that is stored at an address, or a container that is there.
func (f places) store(address ssa.Value, container bool) {
	if f.into[target{address, container}] {
		return
	}
	f.into[target{address, container}] = true
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
		f.param(a)
	case *ssa.UnOp:
		f.store(a.X, container)
		for _, v := range stored(a.X) { // which are the same address
			f.store(v, container)
		}
	case *ssa.Lookup:
		f.hold(a.X)
	case *ssa.Phi:
		for _, e := range a.Edges {
			f.store(e, container)
		}
	case *ssa.TypeAssert, *ssa.MakeInterface, *ssa.ChangeType:
		f.store(operand(a), container)
	case *ssa.Call:
		f.origins(a, func(v ssa.Value) { f.store(v, container) })
	case *ssa.Extract:
		if !f.origins(a, func(v ssa.Value) { f.store(v, container) }) {
			f.store(a.Tuple, container)
		}
	}
	if v, ok := o.(*types.Var); ok {
		f.holders[holder{of: v.Origin(), container: container}] = true
	}
}

// hold follows a map, slice, channel or variable that has the value in it now: to where it goes, and to
// where the function has it from.
func (f places) hold(v ssa.Value) {
	if f.holding[v] {
		return
	}
	f.holding[v] = true
	switch v := v.(type) {
	case *ssa.Global:
		f.store(v, false)
	case *ssa.UnOp:
		f.store(v.X, true)
		for _, x := range stored(v.X) {
			f.fill(x)
		}
	case *ssa.Slice, *ssa.Lookup, *ssa.TypeAssert:
		f.hold(operand(v))
	case *ssa.MakeInterface, *ssa.ChangeType:
		f.fill(operand(v))
	case *ssa.Phi:
		for _, e := range v.Edges {
			f.fill(e)
		}
	case *ssa.Parameter:
		f.param(v)
	case *ssa.FreeVar:
		for _, x := range bindings(v) {
			f.fill(x)
		}
	case *ssa.Call, *ssa.Extract:
		f.origins(v, f.fill)
	}
	if v.Referrers() == nil {
		return
	}
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.UnOp:
			f.carried(i)
		case *ssa.IndexAddr, *ssa.FieldAddr:
			f.loads(i.(ssa.Value), false)
		default:
			f.heldUse(i, v)
		}
	}
}

// heldUse follows an address, map, slice or channel with the value in it to where an instruction takes it.
func (f places) heldUse(i ssa.Instruction, v ssa.Value) {
	switch i := i.(type) {
	case *ssa.Lookup, *ssa.Index:
		f.carried(i)
	case *ssa.Range:
		f.of(i)
	case *ssa.Slice, *ssa.MakeInterface, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.TypeAssert, *ssa.Phi, *ssa.Extract:
		f.hold(i.(ssa.Value))
	case *ssa.Store:
		if i.Val == v {
			f.store(i.Addr, true)
		}
	case *ssa.MapUpdate:
		if i.Value == v {
			f.hold(i.Map)
		}
	case *ssa.Send:
		if i.X == v {
			f.hold(i.Chan)
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
			if r == v {
				f.returned(result{f: i.Parent(), n: n, held: isAlloc(v)})
			}
		}
	}
}

// loads follows values that are loaded from an address, or from a part of the memory there.
func (f places) loads(address ssa.Value, container bool) {
	for _, i := range *address.Referrers() {
		f.load(i, address, container)
	}
}

func (f places) load(i ssa.Instruction, address ssa.Value, container bool) {
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
	default:
		f.heldUse(i, address)
	}
}

// operand returns the first operand of an instruction: the value that it has in another form, or a part of.
func operand(v ssa.Value) ssa.Value { return *v.(ssa.Instruction).Operands(nil)[0] }

// origins calls do for the values that a function returns as v, which is the result of a call or one of
// several, and for arguments if it returns parameters. It reports false if v is neither.
func (f places) origins(v ssa.Value, do func(ssa.Value)) (ok bool) {
	call, n := (*ssa.Call)(nil), 0
	switch v := v.(type) {
	case *ssa.Call:
		call = v
	case *ssa.Extract:
		call, _ = v.Tuple.(*ssa.Call)
		n = v.Index
	}
	if call == nil {
		return false
	}
	callee := call.Call.StaticCallee()
	if callee == nil {
		return true
	}
	if origin := callee.Origin(); origin != nil {
		callee = origin
	}
	f.w.s.Build(callee.Pkg)
	for _, b := range callee.Blocks {
		r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || n >= len(r.Results) {
			continue
		}
		p, ok := r.Results[n].(*ssa.Parameter)
		if !ok {
			do(r.Results[n])
			continue
		}
		for k, param := range callee.Params {
			if param == p && k < len(call.Call.Args) {
				do(call.Call.Args[k])
			}
		}
	}
	return true
}

// callsOfClosure returns the calls of a function literal in the declaration around it.
func callsOfClosure(closure *ssa.Function) (list []ssa.CallInstruction) {
	if closure.Parent() == nil {
		return nil
	}
	top := closure
	for top.Parent() != nil {
		top = top.Parent()
	}
	eachIn(top, func(i ssa.Instruction) {
		if call, ok := i.(ssa.CallInstruction); ok && call.Common().StaticCallee() == closure {
			list = append(list, call)
		}
	})
	return list
}

// eachIn calls do for the instructions of a function and its closures.
func eachIn(f *ssa.Function, do func(ssa.Instruction)) {
	if f == nil {
		return
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			do(i)
		}
	}
	for _, inner := range f.AnonFuncs {
		eachIn(inner, do)
	}
}

// stored returns the values that a function and its closures store in a variable of the function.
func stored(address ssa.Value) (values []ssa.Value) {
	switch a := address.(type) {
	case *ssa.FreeVar:
		for _, v := range bindings(a) {
			values = append(values, stored(v)...)
		}
	case *ssa.Alloc:
		for _, i := range *a.Referrers() {
			if s, ok := i.(*ssa.Store); ok && s.Addr == a {
				values = append(values, s.Val)
			}
		}
	}
	return values
}

// bindings returns the variables of the enclosing function that a variable of a closure is.
func bindings(v *ssa.FreeVar) (values []ssa.Value) {
	closure := v.Parent()
	if closure.Parent() == nil {
		return nil
	}
	for _, b := range closure.Parent().Blocks {
		for _, i := range b.Instrs {
			m, ok := i.(*ssa.MakeClosure)
			if !ok || m.Fn != closure {
				continue
			}
			for n, free := range closure.FreeVars {
				if free == v {
					values = append(values, m.Bindings[n])
				}
			}
		}
	}
	return values
}

// staysIn reports whether a function uses a variable by its fields alone, so that no other code has its address.
func staysIn(v *ssa.Alloc) bool {
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.FieldAddr, *ssa.DebugRef:
		case *ssa.Store:
			if _, ok := i.Val.(*ssa.Const); !ok {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// elements returns the values in a list of arguments.
func elements(list *ssa.Slice) (values []ssa.Value) {
	array, ok := list.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, i := range *array.Referrers() {
		if at, ok := i.(*ssa.IndexAddr); ok {
			for _, j := range *at.Referrers() {
				if s, ok := j.(*ssa.Store); ok && s.Addr == at {
					values = append(values, s.Val)
				}
			}
		}
	}
	return values
}
