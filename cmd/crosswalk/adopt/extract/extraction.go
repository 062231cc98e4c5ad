package extract

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/state"
)

// Extraction is the part of a program that its roots need.
type Extraction struct {
	program *operator.Program
	Units   map[types.Object]*code.Unit // of every declaration
	inits   map[*packages.Package][]*code.Unit
	Reached map[*code.Unit]bool
	effects map[string]bool // packages with initialisers that change variables of others, or by way of functions
	named   []*types.Named  // reached
	Kept    string          // why the copies use encoding/json; "" if they need not
	Swap    bool            // the copies import the SDK's package json for encoding/json
	Proof   *Proof          // has the SSA form of the packages; nil: only declarations are followed
}

// Has reports whether the module has a declaration.
func (x *Extraction) Has(u *code.Unit) bool { return x.Reached[u] }

// Keeps reports whether the module has a declaration with its own body.
func (x *Extraction) Keeps(u *code.Unit) bool {
	return x.Reached[u] && x.stub(u) == ""
}

// Search returns the search for state that conversions in the module depend on.
func (x *Extraction) Search() *state.Search {
	return state.New(x.Proof.stores, x, x.program.SetUpRoots(), x.program.SetUp != nil && x.program.SetUp.Context)
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
	s := x.Proof
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
	roots, objects := x.Proof.Conversions(k)
	return x.Search().Find(named(k), roots, objects)
}

// roots returns the declarations that a module of the kind names.
func roots(k discover.Resource) (roots []types.Object) {
	for _, v := range k.Versions() {
		roots = append(roots, v.Named.Obj())
		if v.To != nil {
			roots = append(roots, v.To, v.From)
		}
		if v.Defaults != nil {
			roots = append(roots, v.Defaults)
		}
	}
	if hub := discover.Method(k.Hub.Named, "Hub"); hub != nil {
		roots = append(roots, hub)
	}
	return roots
}

// Kind copies the declarations that a kind needs. metadata are the members of the metadata that the
// module has to decode beside labels and annotations; nil means all.
func Kind(p *operator.Program, k discover.Resource) (x *Extraction, metadata []string, err error) {
	roots := append(roots(k), p.SetUpRoots()...)
	unstructured := k.Form == discover.FormUnstructured
	if unstructured {
		more, err := discover.UnstructuredRoots(p)
		if err != nil {
			return nil, nil, err
		}
		roots = append(roots, more...)
	}
	proof := newProof(p)
	for before := -1; len(proof.Shown) > before; { // more methods are reached then
		before = len(proof.Shown)
		if x, err = From(p, roots, proof, false); err != nil {
			return nil, nil, err
		}
		if err := proof.look(x); err != nil {
			return nil, nil, err
		}
	}
	if unstructured { // apimachinery's converter looks into every type
		x.Kept = "its methods take unstructured objects"
		return x, nil, nil
	}
	if names, ok := proof.Metadata.Names(proof, k); ok {
		metadata = names
	}
	kept := x
	if x, err = From(p, roots, proof, true); err != nil {
		return nil, nil, err
	}
	if why := x.NeedsJSON(); why != "" {
		kept.Kept = why
		return kept, metadata, nil
	}
	return x, metadata, nil
}
