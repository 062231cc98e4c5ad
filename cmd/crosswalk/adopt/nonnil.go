package adopt

import (
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

// neverNil reports whether a pointer is that of a variable: the address of one, or a parameter that
// each call gives such an address.
func (l *liveness) neverNil(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global:
		return true
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

// invoked reports whether a method may be called by way of an interface, or by a codec or fmt.
func (l *liveness) invoked(f *ssa.Function) bool {
	if f.Signature.Recv() == nil {
		return false
	}
	if slices.Contains(byName(), f.Name()) || slices.Contains(texts(), f.Name()) {
		return true
	}
	for m := range l.methods {
		if m.Name() == f.Name() {
			return true
		}
	}
	return false
}
