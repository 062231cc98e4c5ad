package calls

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// callSites are the static calls of functions, by callee. Functions that are also called in other
// ways, as values or methods of interfaces, are not in it.
type callSites map[*ssa.Function][]*ssa.CallCommon

// findCallSites finds the calls in functions. The dynamic ones of methods come from wrappers and
// values, which are operands of other instructions.
func findCallSites(functions map[*ssa.Function]bool) callSites {
	sites, otherwise := callSites{}, map[*ssa.Function]bool{}
	for f := range functions {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				var callee *ssa.Function
				if call, ok := i.(ssa.CallInstruction); ok {
					if callee = call.Common().StaticCallee(); callee != nil {
						sites[callee] = append(sites[callee], call.Common())
					}
				}
				for _, operand := range i.Operands(nil) {
					if value, ok := (*operand).(*ssa.Function); ok && value != callee {
						otherwise[value] = true
					}
				}
			}
		}
	}
	for f := range otherwise {
		delete(sites, f)
	}
	return sites
}

// callees returns the functions that a call may run; nil stands for an unknown one.
func (l *Liveness) callees(c *ssa.CallCommon) []*ssa.Function {
	if !c.IsInvoke() {
		return []*ssa.Function{c.StaticCallee()}
	}
	targets, known := l.targets[c.Method]
	if known {
		return targets
	}
	i := c.Value.Type().Underlying().(*types.Interface)
	for f := range l.Functions {
		if recv := f.Signature.Recv(); recv != nil && f.Name() == c.Method.Name() && types.Implements(recv.Type(), i) {
			targets = append(targets, f)
		}
	}
	if len(targets) == 0 || l.foreign(c.Value.Type()) {
		targets = []*ssa.Function{nil}
	}
	l.targets[c.Method] = targets
	return targets
}

// neverNil reports whether a pointer is that of a variable, and an interface has a value: the address
// of one, a parameter to which each call gives one, or a result that is one.
func (l *Liveness) neverNil(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global, *ssa.MakeInterface:
		return true
	case *ssa.ChangeInterface:
		return l.neverNil(v.X, seen)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && l.returnsValue(call, v.Index, seen)
	case *ssa.Call:
		return l.returnsValue(v, 0, seen)
	case *ssa.Parameter:
		f := v.Parent()
		if l.roots[f] { // which a module calls with objects
			return true
		}
		sites := l.sites[f]
		if len(sites) == 0 || l.invoked(f) {
			return false
		}
		for n, p := range f.Params {
			if p != v {
				continue
			}
			for _, site := range sites {
				if !l.neverNil(site.Args[n], seen) {
					return false
				}
			}
			return true
		}
	}
	return false
}

// returnsValue reports whether a result of a call is never nil.
func (l *Liveness) returnsValue(call *ssa.Call, result int, seen map[ssa.Value]bool) bool {
	for _, f := range l.callees(&call.Call) {
		if f == nil || !l.Functions[f] || len(f.Blocks) == 0 {
			return false
		}
		for _, b := range f.Blocks {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !l.neverNil(ret.Results[result], seen) {
				return false
			}
		}
	}
	return true
}

// invoked reports whether a method may be called by way of an interface, or by a codec or fmt.
func (l *Liveness) invoked(f *ssa.Function) bool {
	if f.Signature.Recv() == nil {
		return false
	}
	if slices.Contains(ByName(), f.Name()) || slices.Contains(Texts(), f.Name()) {
		return true
	}
	for m := range l.methods {
		if m.Name() == f.Name() {
			return true
		}
	}
	return false
}
