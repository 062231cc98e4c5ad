package adopt

import (
	"go/types"
	"maps"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/state"
	"golang.org/x/tools/go/ssa"
)

// Has reports whether the module has a declaration.
func (x *extraction) Has(u *code.Unit) bool { return x.reached[u] }

// Keeps reports whether the module has a declaration with its own body.
func (x *extraction) Keeps(u *code.Unit) bool {
	_, replaced := x.hidden.replacement(x, u)
	return !replaced && x.reached[u] && x.stub(u) == ""
}

// Opaque reports whether the module carries values of a type as text.
func (x *extraction) Opaque(t *types.TypeName) bool { return x.hidden.types[t] != "" }

// search returns the search for state that conversions in the module depend on.
func (x *extraction) search() *state.Search {
	return state.New(x.hidden.proof.stores, x, x.program.setUpRoots(), x.program.setUp != nil && x.program.setUp.context)
}

// reachEffects reaches the initialisers that change a variable which conversions mention, also by
// way of functions that they call: an init function, or a variable whose initial value is the
// result of such a function. It reports whether anything changed.
func (x *extraction) reachEffects(roots []types.Object) bool {
	if x.hidden.proof == nil {
		return false
	}
	before := len(x.reached)
	for _, u := range x.search().Initialisers(roots) {
		x.reachUnit(u)
		x.effects[u.Package.PkgPath] = true
	}
	return len(x.reached) > before
}

// effectful returns the packages with such initialisers: nothing else in the module need import them.
func (x *extraction) effectful() []string {
	paths := slices.Sorted(maps.Keys(x.effects))
	return slices.DeleteFunc(paths, func(path string) bool { return x.program.isSetUp(x.program.All[path]) })
}

// conversions returns the functions that a module of a kind calls, and the types that it decodes and
// encodes.
func (s *proof) conversions(k kind) (roots []*ssa.Function, objects []types.Type) {
	for _, v := range k.versions() {
		objects = append(objects, types.NewPointer(v.named))
		for _, f := range []*types.Func{v.to, v.from, v.defaults} {
			if f != nil {
				roots = append(roots, s.SSA.FuncValue(f))
			}
		}
	}
	return roots, objects
}

// followed finds the functions that the conversions of a kind can call.
func (x *extraction) followed(k kind) *calls.Calls {
	s := x.hidden.proof
	roots, objects := s.conversions(k)
	return calls.Follow(x.program.Program, s.Functions, x, roots, objects)
}

// named returns the types of a kind's versions.
func (k kind) named() (list []*types.Named) {
	for _, v := range k.versions() {
		list = append(list, v.named)
	}
	return list
}

// state returns what the conversions of a kind depend on.
func (x *extraction) state(k kind) ([]state.Dependence, error) {
	roots, objects := x.hidden.proof.conversions(k)
	return x.search().Find(k.named(), roots, objects)
}
