package adopt

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// reading is called functions whose variables are looked at.
type reading struct {
	w           *stores
	copied      copyOf
	calls       *calls // also of init functions and set-up code
	conversions *calls // without these
	setUp       *calls // nil without set-up code
	p           *placer
}

// variables returns the variables of called functions that functions change which no conversion
// calls: those that the operator's repository uses, and exported functions of its modules.
func (r *reading) variables() (list []dependence, err error) {
	c, p := r.calls, r.p
	type variable struct {
		g       *ssa.Global
		changes []change
	}
	var all []variable
	o := newOutside(r.w, p)
	for g := range c.globals {
		u := r.w.p.units[g.Object()]
		if u == nil || loggers.MatchString(u.pkg.PkgPath) || isLock(g) || r.setUpOnly(g) {
			continue
		}
		v := variable{g: g, changes: r.changes(g)}
		o.linked[symbolOf(g.Object())] = true
		if g.Object().Exported() {
			o.variables[symbol{u.pkg.PkgPath, g.Name()}] = true
		}
		for _, change := range v.changes {
			for _, s := range change.entries {
				o.functions[s] = true
			}
			for _, s := range change.linked {
				o.linked[s] = true
			}
		}
		reached := r.w.follow(g)
		for leak := range reached.leaks {
			o.leaks[symbolOf(leak)] = leak
		}
		maps.Copy(o.types, reached.types)
		all = append(all, v)
	}
	if err := o.scan(); err != nil {
		return nil, err
	}
	for _, v := range all {
		path := v.g.Pkg.Pkg.Path()
		d := dependence{name: path + "." + v.g.Name(), global: v.g, on: mainSets, at: []string{p.place(v.g.Pos())}}
		d.set = slices.Clone(o.found[symbol{path, v.g.Name()}])
		for leak := range r.w.follow(v.g).leaks {
			d.set = append(d.set, o.leaked[symbolOf(leak)]...)
		}
		for _, change := range v.changes {
			if change.own || slices.ContainsFunc(append(change.entries, change.linked...), func(s symbol) bool { return len(o.found[s]) > 0 }) {
				d.set = append(d.set, change.at)
			}
		}
		slices.Sort(d.set)
		d.set = slices.Compact(d.set)
		if len(d.set) == 0 && p.own[r.w.p.units[v.g.Object()].pkg.Module.Path] && isHook(r.w.p.units[v.g.Object()], v.g) {
			d.why = "exported without a value"
		}
		if len(d.set) == 0 && d.why == "" && p.own[r.w.p.units[v.g.Object()].pkg.Module.Path] {
			d.on, d.set = earlier, r.remembers(v.g)
		}
		if len(d.set) > 0 || d.why != "" {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b dependence) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// setUpOnly reports whether no function but those of the set-up code mentions a variable.
func (r *reading) setUpOnly(g *ssa.Global) bool {
	return r.setUp != nil && !slices.ContainsFunc(r.calls.places[g], func(at place) bool {
		return !r.setUp.functions[at.in] || r.conversions.functions[at.in]
	})
}
