package calls

import (
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// IsConvertible says whether an interface is one by which versions are passed to conversions:
// controller-runtime's Hub and Convertible, and knative's Convertible. Their values are asserted to
// be of a version again.
func IsConvertible(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || !types.IsInterface(named) {
		return false
	}
	return named.Obj().Name() == "Hub" || named.Obj().Name() == "Convertible"
}

// IsOther says whether an interface has been found to hold none of the types that a function
// expects, as in the default of a type switch. A module calls conversions with the versions' own
// types only.
func IsOther(v *ssa.ChangeInterface) bool {
	for _, use := range *v.X.Referrers() {
		assert, ok := use.(*ssa.TypeAssert)
		if !ok || !assert.CommaOk || types.IsInterface(assert.AssertedType) {
			continue
		}
		for _, part := range *assert.Referrers() {
			ok, is := part.(*ssa.Extract)
			if !is || ok.Index != 1 {
				continue
			}
			for _, test := range *ok.Referrers() {
				if test, is := test.(*ssa.If); is && test.Block().Succs[1].Dominates(v.Block()) {
					return true
				}
			}
		}
	}
	return false
}

// PrintsTypeOnly says whether a value is given to fmt with the verb %T only.
func PrintsTypeOnly(v ssa.Value) bool {
	for _, use := range *v.Referrers() {
		store, ok := use.(*ssa.Store)
		if !ok {
			if _, debug := use.(*ssa.DebugRef); debug {
				continue
			}
			return false
		}
		at, ok := store.Addr.(*ssa.IndexAddr)
		if !ok {
			return false
		}
		if array, ok := at.X.(*ssa.Alloc); !ok || array.Comment != "varargs" {
			return false // the program may read an array of its own in other ways
		}
		for _, use := range *at.X.Referrers() {
			list, ok := use.(*ssa.Slice)
			if !ok {
				continue
			}
			for _, use := range *list.Referrers() {
				call, ok := use.(ssa.CallInstruction)
				if !ok || len(call.Common().Args) != 2 {
					return false
				}
				f := call.Common().StaticCallee()
				text, ok := call.Common().Args[0].(*ssa.Const)
				if f == nil || f.Pkg == nil || f.Pkg.Pkg.Path() != "fmt" || !ok || text.Value == nil || text.Value.Kind() != constant.String {
					return false
				}
				format := constant.StringVal(text.Value)
				if strings.Count(format, "%") != strings.Count(format, "%T") {
					return false
				}
			}
		}
	}
	return true
}
