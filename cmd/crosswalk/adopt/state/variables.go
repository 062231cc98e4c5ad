package state

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// reading is called functions whose variables are looked at.
type reading struct {
	w           *Memory
	copied      calls.Copy
	calls       *calls.Calls // also of init functions and set-up code
	conversions *calls.Calls // without these
	setUp       *calls.Calls // nil without set-up code
	p           *code.Placer
	started     map[*code.Unit]*calls.Calls // see start
}

// variable is a variable that a conversion reads.
type variable struct {
	g       *ssa.Global
	changes []change
}

// open reports whether code elsewhere can change a variable. Nobody changes the value of an error.
func (v variable) open(r *reachability) bool {
	if v.g.Object().Exported() && !types.Identical(v.g.Object().Type(), types.Universe.Lookup("error").Type()) || len(r.leaks)+len(r.fields)+len(r.outs) > 0 {
		return true
	}
	return slices.ContainsFunc(v.changes, func(c change) bool { return len(c.entries) > 0 })
}

// variables returns the variables of called functions that functions change which no conversion
// calls: those that the operator's repository uses, and exported functions of its modules.
func (r *reading) variables() (list []Dependence, err error) {
	c, p := r.calls, r.p
	var all []variable
	o := newOutside(r.w, p)
	for g := range c.Globals {
		u := r.w.p.Units[g.Object()]
		if u == nil || loggers.MatchString(u.Package.PkgPath) || isLock(g) || r.setUpOnly(g) {
			continue
		}
		v := variable{g: g}
		if !isPool(g) { // a conversion may take from it, and put back
			v.changes = r.changes(g)
		}
		o.link(g.Object())
		if g.Object().Exported() {
			o.variables[g.Object()] = true
		}
		for _, change := range v.changes {
			for _, entry := range change.entries {
				o.functions[entry] = true
			}
			for _, f := range change.linked {
				o.link(f)
			}
		}
		reached := r.w.follow(g)
		maps.Copy(o.leaks, reached.leaks)
		maps.Copy(o.fields, reached.fields)
		for x := range reached.outs {
			if !slices.Contains(o.outs[x.of], x) {
				o.outs[x.of] = append(o.outs[x.of], x)
			}
		}
		maps.Copy(o.types, reached.types)
		all = append(all, v)
	}
	if err := o.scan(); err != nil {
		return nil, err
	}
	searched := o.hasMain()
	for _, v := range all {
		path := v.g.Pkg.Pkg.Path()
		d := Dependence{Name: path + "." + v.g.Name(), global: v.g, On: MainSets, At: []string{p.Place(v.g.Pos())}}
		d.Set = slices.Clone(o.found[v.g.Object()])
		reached := r.w.follow(v.g)
		for leak := range reached.leaks {
			d.Set = append(d.Set, o.leaked[leak]...)
		}
		for field := range reached.fields {
			d.Set = append(d.Set, o.leaked[field]...)
		}
		for x := range reached.outs {
			d.Set = append(d.Set, o.filled[x]...)
		}
		own := p.Own[r.w.p.Units[v.g.Object()].Package.Module.Path]
		var memories []string // of its function
		for f, at := range reached.made.later {
			own := own && r.isRead(v.g)
			if own && reached.made.remembers(f) {
				memories = append(memories, p.Place(at))
			} else if own {
				d.Set = append(d.Set, p.Place(at))
			}
		}
		for _, change := range v.changes {
			if change.own || slices.ContainsFunc(append(change.entries, change.linked...), func(entry types.Object) bool { return len(o.found[entry]) > 0 }) {
				d.Set = append(d.Set, change.at)
			}
		}
		slices.Sort(d.Set)
		d.Set = slices.Compact(d.Set)
		if len(d.Set) == 0 && own && isHook(r.w.p.Units[v.g.Object()], v.g) {
			d.why = "exported without a value"
		}
		if len(d.Set) == 0 && d.why == "" && !isPool(v.g) && own {
			d.On, d.Set = earlier, append(r.remembers(v.g), memories...)
		}
		if len(d.Set) == 0 && d.why == "" && !searched && v.open(reached) {
			d.On = MaySet
			list = append(list, d)
		}
		if len(d.Set) > 0 || d.why != "" {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b Dependence) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// setUpOnly reports whether no function but those of the set-up code mentions a variable.
func (r *reading) setUpOnly(g *ssa.Global) bool {
	return r.setUp != nil && !slices.ContainsFunc(r.calls.Places[g], func(at calls.Place) bool {
		return !r.setUp.Functions[at.In] || r.conversions.Functions[at.In]
	})
}
