package extract

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/state"
)

// Has reports whether the module has a declaration.
func (x *Extraction) Has(u *code.Unit) bool { return x.Reached[u] }

// Keeps reports whether the module has a declaration with its own body.
func (x *Extraction) Keeps(u *code.Unit) bool {
	_, replaced := x.Hidden.replacement(x, u)
	return !replaced && x.Reached[u] && x.stub(u) == ""
}

// Opaque reports whether the module carries values of a type as text.
func (x *Extraction) Opaque(t *types.TypeName) bool { return x.Hidden.Types[t] != "" }

// Search returns the search for state that conversions in the module depend on.
func (x *Extraction) Search() *state.Search {
	return state.New(x.Hidden.Proof.stores, x, x.program.SetUpRoots(), x.program.SetUp != nil && x.program.SetUp.Context)
}

// Effectful returns the packages with such initialisers: nothing else in the module need import them.
func (x *Extraction) Effectful() []string {
	paths := slices.Sorted(maps.Keys(x.effects))
	return slices.DeleteFunc(paths, func(path string) bool { return x.program.IsSetUp(x.program.All[path]) })
}

// Conversions returns the functions that a module of a kind calls, and the types that it decodes and
// encodes.
func (s *Proof) Conversions(k discover.Resource) (roots []*ssa.Function, objects []types.Type) {
	for _, v := range k.Versions() {
		objects = append(objects, types.NewPointer(v.Named))
		for _, f := range []*types.Func{v.To, v.From, v.Defaults} {
			if f != nil {
				roots = append(roots, s.SSA.FuncValue(f))
			}
		}
	}
	return roots, objects
}

// Followed finds the functions that the conversions of a kind can call.
func (x *Extraction) Followed(k discover.Resource) *calls.Calls {
	s := x.Hidden.Proof
	roots, objects := s.Conversions(k)
	return calls.Follow(x.program.Program, s.Functions, x, roots, objects)
}

// named returns the types of a kind's versions.
func named(k discover.Resource) (list []*types.Named) {
	for _, v := range k.Versions() {
		list = append(list, v.Named)
	}
	return list
}

// State returns what the conversions of a kind depend on.
func (x *Extraction) State(k discover.Resource) ([]state.Dependence, error) {
	roots, objects := x.Hidden.Proof.Conversions(k)
	return x.Search().Find(named(k), roots, objects)
}
