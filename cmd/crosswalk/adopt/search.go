package adopt

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// search looks for the state that conversions in a module depend on.
type search struct {
	w      *stores
	copied copyOf
	roots  []*ssa.Function // of the set-up code
	setUp  *calls          // that set-up code makes; nil without
	makes  bool            // set-up code makes the context of conversions
}

// newSearch returns the search in the copy of a program. The functions of set-up code run before
// conversions; context says that they make the context.
func newSearch(w *stores, part copyOf, setUp []types.Object, context bool) *search {
	s := &search{w: w, copied: part, makes: context}
	if len(setUp) > 0 {
		s.roots, _ = s.entries(setUp)
		s.setUp = w.started(part, s.roots, map[*ssa.Function]bool{})
	}
	return s
}

// entries returns the SSA form of functions, and the types, among roots.
func (s *search) entries(roots []types.Object) (functions []*ssa.Function, objects []types.Type) {
	for _, o := range roots {
		switch o := o.(type) {
		case *types.Func:
			functions = append(functions, s.w.s.ssa.FuncValue(o))
		case *types.TypeName:
			objects = append(objects, types.NewPointer(o.Type()))
		}
	}
	return functions, objects
}

// find returns the variables that conversions read and the operator's main may set, and what else
// they depend on: neither a module nor the comparison runs main. The conversions call functions, and
// decode and encode objects, of the kind's versions.
func (s *search) find(versions []*types.Named, functions []*ssa.Function, objects []types.Type) ([]dependence, error) {
	p := newPlacer(s.w.p, versions)
	c := follow(s.w.p, s.w.s, s.copied, append(slices.Clip(functions), s.roots...), objects)
	conversions := newCalls(s.w.p, s.w.s, s.copied) // without init functions and set-up code
	conversions.roots(functions, objects)
	r := &reading{w: s.w, copied: s.copied, calls: c, conversions: conversions, setUp: s.setUp, p: p}
	all, err := r.variables()
	if err != nil {
		return nil, err
	}
	flags, err := linkerFlags(c, p)
	if err != nil {
		return nil, err
	}
	tags, err := tags(s.copied, p)
	all = slices.Concat(all, hazards(c, p), flags, tags)
	return slices.DeleteFunc(all, s.sets), err
}

// initialisers returns the declarations of the copy that change variables which roots mention, when a
// program starts.
func (s *search) initialisers(roots []types.Object) (list []*unit) {
	functions, objects := s.entries(roots)
	for g := range follow(s.w.p, s.w.s, s.copied, functions, objects).globals {
		if u := s.w.p.units[g.Object()]; u != nil && s.copied.Has(u) && !isLock(g) && !loggers.MatchString(u.pkg.PkgPath) {
			list = append(list, s.w.initialisers(s.copied, g)...)
		}
	}
	return list
}

// withoutReplaced deletes the functions in the initial values of variables that the set-up code
// sets: a conversion does not call these any more.
func (s *search) withoutReplaced(c *calls) {
	for g := range c.globals {
		u := s.w.p.units[g.Object()]
		if u == nil || !s.sets(dependence{on: mainSets, global: g}) {
			continue
		}
		maps.DeleteFunc(c.functions, func(f *ssa.Function, _ bool) bool {
			return f.Parent() != nil && u.node.Pos() <= f.Pos() && f.Pos() < u.node.End()
		})
	}
}

// sets reports whether the set-up code sets what conversions depend on.
func (s *search) sets(d dependence) bool {
	if s.setUp == nil {
		return false
	}
	switch d.on {
	case mainSets:
		return slices.ContainsFunc(s.w.changers(d.global), s.setUp.includes)
	case contextValues:
		return s.makes
	case featureGates:
		return changesGates(s.setUp)
	}
	return false
}
