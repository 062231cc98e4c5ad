// Package state searches for the state that conversions depend on and a module does not have: variables
// that the operator's main sets, flags of its build, the clock, files and the like.
package state

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// Search looks for the state that conversions in a module depend on.
type Search struct {
	w      *Memory
	copied calls.Copy
	roots  []*ssa.Function // of the set-up code
	setUp  *calls.Calls    // that set-up code makes; nil without
	makes  bool            // set-up code makes the context of conversions
}

// New returns the search in the copy of a program. The functions of set-up code run before
// conversions; context says that they make the context.
func New(w *Memory, part calls.Copy, setUp []types.Object, context bool) *Search {
	s := &Search{w: w, copied: part, makes: context}
	if len(setUp) > 0 {
		s.roots, _ = s.entries(setUp)
		s.setUp = calls.Started(w.p, w.s, part, s.roots, map[*ssa.Function]bool{})
	}
	return s
}

// entries returns the SSA form of functions, and the types, among roots.
func (s *Search) entries(roots []types.Object) (functions []*ssa.Function, objects []types.Type) {
	for _, o := range roots {
		switch o := o.(type) {
		case *types.Func:
			functions = append(functions, s.w.s.SSA.FuncValue(o))
		case *types.TypeName:
			objects = append(objects, types.NewPointer(o.Type()))
		}
	}
	return functions, objects
}

// Find returns the variables that conversions read and the operator's main may set, and other
// dependences: neither a module nor the comparison runs main. The conversions call functions, and
// decode and encode objects, of the kind's versions.
func (s *Search) Find(versions []*types.Named, functions []*ssa.Function, objects []types.Type) ([]Dependence, error) {
	p := code.NewPlacer(s.w.p, versions)
	c := calls.Follow(s.w.p, s.w.s, s.copied, append(slices.Clip(functions), s.roots...), objects)
	conversions := calls.New(s.w.p, s.w.s, s.copied) // without init functions and set-up code
	conversions.Roots(functions, objects)
	r := &reading{w: s.w, copied: s.copied, calls: c, conversions: conversions, setUp: s.setUp, p: p, started: map[*code.Unit]*calls.Calls{}}
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

// Initialisers returns the declarations of the copy that change variables which roots mention, when a
// program starts.
func (s *Search) Initialisers(roots []types.Object) (list []*code.Unit) {
	functions, objects := s.entries(roots)
	for g := range calls.Follow(s.w.p, s.w.s, s.copied, functions, objects).Globals {
		if u := s.w.p.Units[g.Object()]; u != nil && s.copied.Has(u) && !isLock(g) {
			list = append(list, s.w.initialisers(s.copied, g)...)
		}
	}
	return list
}

// WithoutReplaced deletes the functions in the initial values of variables that the set-up code
// sets: a conversion does not call these any more.
func (s *Search) WithoutReplaced(c *calls.Calls) {
	for g := range c.Globals {
		u := s.w.p.Units[g.Object()]
		if u == nil || !s.sets(Dependence{On: MainSets, global: g}) {
			continue
		}
		maps.DeleteFunc(c.Functions, func(f *ssa.Function, _ bool) bool {
			return f.Parent() != nil && u.Node.Pos() <= f.Pos() && f.Pos() < u.Node.End()
		})
	}
}

// callsSetter reports whether the set-up code mentions a variable whose function literal changes what a
// literal of another variable captures.
func (s *Search) callsSetter(g *ssa.Global) bool {
	for f := range s.w.follow(g).made.later {
		for other := range s.setUp.Globals {
			if other != g && s.w.follow(other).made.closures[f] {
				return true
			}
		}
	}
	return false
}

// sets reports whether the set-up code sets a dependence.
func (s *Search) sets(d Dependence) bool {
	if s.setUp == nil {
		return false
	}
	switch d.On {
	case MainSets, MaySet:
		return slices.ContainsFunc(s.w.changers(d.global), s.setUp.Includes) || s.callsSetter(d.global)
	case contextValues:
		return s.makes
	case featureGates:
		return changesGates(s.setUp)
	}
	return false
}

// Things that conversions depend on.
const (
	MainSets      = "what the operator's main sets"
	MaySet        = "what a main may set, and none was searched"
	earlier       = "earlier conversions"
	contextValues = "values of the context"
	featureGates  = "feature gates"
)

// Dependence is something that a conversion depends on, and that differs between the operator's
// process and a module, or between two runs.
type Dependence struct {
	Name string // import/path.Variable, or a function such as time.Now: the NAME of a line in adopt.lock
	On   string // its sort: MainSets, "the clock"
	At   []string
	Set  []string // where it is set; of variables
	why  string   // instead of set

	global *ssa.Global // of a variable
}

// Unsearched reports whether nothing that was searched sets the variable, and no main was.
func (d Dependence) Unsearched() bool { return d.On == MaySet }

// Text returns the line that reports a dependence.
func (d Dependence) Text() string {
	switch {
	case d.why != "":
		return fmt.Sprintf("depends on %s: %s (%s, %s)", d.On, d.Name, strings.Join(d.At, ", "), d.why)
	case len(d.Set) > 0:
		return fmt.Sprintf("depends on %s: %s (%s, set at %s)", d.On, d.Name, strings.Join(d.At, ", "), some(d.Set))
	}
	return fmt.Sprintf("depends on %s: %s (%s)", d.On, d.Name, some(d.At))
}

// some returns the first of a list, and how many more there are.
func some(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}
