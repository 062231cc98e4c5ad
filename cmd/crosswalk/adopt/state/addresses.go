package state

import "golang.org/x/tools/go/ssa"

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
