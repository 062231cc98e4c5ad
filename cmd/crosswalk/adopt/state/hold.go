package state

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// store follows a value that is stored at an address.
func (f *flow) store(address ssa.Value, i ssa.Instruction) {
	switch a := address.(type) {
	case *ssa.Global:
		f.holds(a.Object())
	case *ssa.FieldAddr:
		f.holds(code.FieldOf(a.X.Type(), a.Field))
	case *ssa.Alloc, *ssa.FreeVar:
		f.hold(a, i)
	case *ssa.IndexAddr:
		f.hold(a.X, i)
	case *ssa.Parameter:
		f.into[a] = i.Pos()
	default: // another pointer
		f.changed(i.Pos(), i)
	}
}

// given counts the memory as changed if it is stored by way of a parameter.
func (e *effects) given() {
	for _, at := range e.into {
		if e.change == token.NoPos || at < e.change {
			e.change = at
		}
	}
}

// holds notes a field or a package variable.
func (f *flow) holds(o types.Object) {
	if v, ok := o.(*types.Var); ok {
		f.holders[v.Origin()] = true
	}
}

// hold follows a map, slice, channel or variable that has the value in it since an instruction: to where it
// goes, and to where the function has it from.
func (f *flow) hold(v ssa.Value, i ssa.Instruction) {
	if f.holding[v] {
		return
	}
	f.holding[v] = true
	switch v := v.(type) {
	case *ssa.UnOp:
		f.store(v.X, i)
	case *ssa.Global:
		f.store(v, i)
	case *ssa.FieldAddr: // of an array
		f.store(v, i)
	case *ssa.Slice, *ssa.Lookup, *ssa.TypeAssert, *ssa.MakeInterface, *ssa.ChangeType:
		f.hold(operand(v), i)
	case *ssa.Phi:
		for _, e := range v.Edges {
			f.hold(e, i)
		}
	case *ssa.FreeVar:
		for _, x := range bindings(v) {
			f.hold(x, i)
		}
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); !ok || b.Name() != "append" {
			f.changed(i.Pos(), i)
		}
	case *ssa.Parameter, *ssa.Extract:
		f.changed(i.Pos(), i)
	}
	if v.Referrers() == nil {
		return
	}
	for _, i := range *v.Referrers() {
		f.heldUse(i, v)
	}
}

// heldUse follows an address, map, slice or channel with the value in it to where an instruction takes it.
func (f *flow) heldUse(i ssa.Instruction, v ssa.Value) {
	switch i := i.(type) {
	case *ssa.UnOp, *ssa.Lookup, *ssa.Index:
		f.carried(i)
	case *ssa.Range:
		f.of(i)
	case *ssa.IndexAddr, *ssa.FieldAddr:
		for _, use := range *i.(ssa.Value).Referrers() {
			f.heldUse(use, i.(ssa.Value))
		}
	case *ssa.Slice, *ssa.MakeInterface, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.TypeAssert, *ssa.Phi:
		f.hold(i.(ssa.Value), i)
	case *ssa.Store:
		if i.Val == v {
			f.store(i.Addr, i)
		}
	case *ssa.MapUpdate:
		if i.Value == v {
			f.hold(i.Map, i)
		}
	case *ssa.Send:
		if i.X == v {
			f.hold(i.Chan, i)
		}
	case *ssa.MakeClosure:
		for n, bound := range i.Bindings {
			if bound == v {
				f.hold(i.Fn.(*ssa.Function).FreeVars[n], i)
			}
		}
	case *ssa.Return:
		f.use(i, v)
	case ssa.CallInstruction:
		f.call(i, v, true)
	}
}

// operand returns the first operand of an instruction: the value that it has in another form, or a part of.
func operand(v ssa.Value) ssa.Value { return *v.(ssa.Instruction).Operands(nil)[0] }

// bindings returns the variables of the enclosing function that a variable of a closure is.
func bindings(v *ssa.FreeVar) (values []ssa.Value) {
	closure := v.Parent()
	if closure.Parent() == nil {
		return nil
	}
	n := slices.Index(closure.FreeVars, v)
	for _, b := range closure.Parent().Blocks {
		for _, i := range b.Instrs {
			if m, ok := i.(*ssa.MakeClosure); ok && m.Fn == closure {
				values = append(values, m.Bindings[n])
			}
		}
	}
	return values
}
