package adopt

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const (
	mainSets      = "what the operator's main sets"
	earlier       = "earlier conversions"
	contextValues = "values of the context"
	featureGates  = "feature gates"
)

const featureGate = "k8s.io/component-base/featuregate"

// state returns the variables that conversions read and the operator's main may set, and what else
// they depend on: neither a module nor the comparison runs main.
func (x *extraction) state(k kind) ([]dependence, error) {
	s := x.hidden.proof
	functions, objects := s.conversions(k)
	before, _ := s.entries(x.program.setUpRoots())
	c := s.follow(x, append(slices.Clip(functions), before...), objects)
	p := newPlacer(x.program, k)
	conversions := s.calls(x) // without init functions and set-up code
	conversions.roots(functions, objects)
	setUp := x.setUpCalls()
	all, err := c.variables(conversions, setUp, p)
	if err != nil {
		return nil, err
	}
	flags, err := c.linkerFlags(p)
	if err != nil {
		return nil, err
	}
	tags, err := x.tags(p)
	all = slices.Concat(all, c.hazards(p), flags, tags)
	if setUp == nil || err != nil {
		return all, err
	}
	return slices.DeleteFunc(all, func(d dependence) bool { return setUp.sets(d) }), nil
}

// setUpCalls returns the functions that the set-up code calls; nil without set-up code.
func (x *extraction) setUpCalls() *calls {
	if x.program.setUp == nil {
		return nil
	}
	before, _ := x.hidden.proof.entries(x.program.setUpRoots())
	setUp := x.hidden.proof.calls(x)
	setUp.start = &start{values: map[*ssa.Function]bool{}}
	setUp.roots(before, nil)
	return setUp
}

// withoutReplaced deletes the functions in the initial values of variables that the set-up code
// sets: a conversion does not call these any more.
func (x *extraction) withoutReplaced(c *calls) {
	setUp := x.setUpCalls()
	if setUp == nil {
		return
	}
	for g := range c.globals {
		u := x.units[g.Object()]
		if u == nil || !setUp.sets(dependence{on: mainSets, global: g}) {
			continue
		}
		maps.DeleteFunc(c.functions, func(f *ssa.Function, _ bool) bool {
			return f.Parent() != nil && u.node.Pos() <= f.Pos() && f.Pos() < u.node.End()
		})
	}
}

// sets reports whether called functions, those of the set-up code, set what conversions depend on.
func (c *calls) sets(d dependence) bool {
	switch d.on {
	case mainSets:
		return slices.ContainsFunc(c.s.stores(c.x).changers(d.global), c.includes)
	case contextValues:
		return c.x.program.setUp.context
	case featureGates:
		for what := range c.places {
			if m, ok := what.(*types.Func); ok && m.Pkg() != nil && m.Pkg().Path() == featureGate && changes.MatchString(m.Name()) {
				return true
			}
		}
		return slices.ContainsFunc(slices.Collect(maps.Keys(c.functions)), func(f *ssa.Function) bool {
			return f.Pkg != nil && f.Pkg.Pkg.Path() == featureGate && changes.MatchString(f.Name())
		})
	}
	return false
}

// variables returns the variables of called functions that functions change which no conversion
// calls: those that the operator's repository uses, and exported functions of its modules.
func (c *calls) variables(conversions, setUp *calls, p *placer) (list []dependence, err error) {
	type variable struct {
		g       *ssa.Global
		changes []change
	}
	var all []variable
	o := newOutside(c, p)
	for g := range c.globals {
		u := c.x.units[g.Object()]
		if u == nil || loggers.MatchString(u.pkg.PkgPath) || isLock(g) || setUp != nil && !slices.ContainsFunc(c.places[g], func(at place) bool { return !setUp.functions[at.in] || conversions.functions[at.in] }) {
			continue
		}
		v := variable{g: g, changes: c.changes(g, conversions, p)}
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
		r := c.s.stores(c.x).follow(g)
		for leak := range r.leaks {
			o.leaks[symbolOf(leak)] = leak
		}
		maps.Copy(o.types, r.types)
		all = append(all, v)
	}
	if err := o.scan(); err != nil {
		return nil, err
	}
	for _, v := range all {
		path := v.g.Pkg.Pkg.Path()
		d := dependence{name: path + "." + v.g.Name(), global: v.g, on: mainSets, at: []string{p.place(v.g.Pos())}}
		d.set = slices.Clone(o.found[symbol{path, v.g.Name()}])
		for leak := range c.s.stores(c.x).follow(v.g).leaks {
			d.set = append(d.set, o.leaked[symbolOf(leak)]...)
		}
		for _, change := range v.changes {
			if change.own || slices.ContainsFunc(append(change.entries, change.linked...), func(s symbol) bool { return len(o.found[s]) > 0 }) {
				d.set = append(d.set, change.at)
			}
		}
		slices.Sort(d.set)
		d.set = slices.Compact(d.set)
		if len(d.set) == 0 && p.own[c.x.units[v.g.Object()].pkg.Module.Path] && isHook(c.x.units[v.g.Object()], v.g) {
			d.why = "exported without a value"
		}
		if len(d.set) == 0 && d.why == "" && p.own[c.x.units[v.g.Object()].pkg.Module.Path] {
			d.on, d.set = earlier, c.remembers(v.g, conversions, p)
		}
		if len(d.set) > 0 || d.why != "" {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b dependence) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// change is a function that changes a variable, and that no conversion calls.
type change struct {
	at      string
	own     bool     // an exported function of the operator's modules leads to it, and no initialiser
	entries []symbol // exported functions that lead to it, if the operator's repository uses them
	linked  []symbol // unexported functions that lead to it, if the operator's repository names them by go:linkname
}

// changes returns the functions that change a variable, apart from called ones and initialisers.
func (c *calls) changes(g *ssa.Global, conversions *calls, p *placer) (list []change) {
	w := c.s.stores(c.x)
	for _, u := range w.changers(g) {
		if conversions.includes(u) || u.tok != 0 && c.x.reached[u] {
			continue
		}
		initial := c.includes(u) // called by init functions in the module, and perhaps by others
		if f, ok := u.node.(*ast.FuncDecl); ok && f.Name.Name == "init" && f.Recv == nil {
			continue // it is reached, or runs in no module
		}
		one := change{at: p.place(w.follow(g).changers[u])}
		for before := range w.before([]*unit{u}) {
			if len(before.defs) == 0 || conversions.includes(before) {
				continue
			}
			f, ok := before.defs[0].(*types.Func)
			if !ok && before.tok == token.VAR { // of a function, perhaps
				for _, o := range before.defs {
					if o.Exported() && o != g.Object() {
						one.entries = append(one.entries, symbolOf(o))
					}
				}
			}
			if !ok || !f.Exported() {
				if ok && f.Signature().Recv() == nil && p.own[before.pkg.Module.Path] {
					one.linked = append(one.linked, symbolOf(f))
				}
				continue
			}
			own := p.own[before.pkg.Module.Path]
			one.own = one.own || own && !initial
			if own || f.Signature().Recv() == nil { // in libraries, the name of a method says little
				one.entries = append(one.entries, symbol{before.pkg.PkgPath, f.Name()})
			}
		}
		list = append(list, one)
	}
	return list
}

func symbolOf(o types.Object) symbol { return symbol{o.Pkg().Path(), o.Name()} }

// isLock reports whether a variable has a type that holds no state of the operator.
func isLock(g *ssa.Global) bool {
	t := g.Type().Underlying().(*types.Pointer).Elem()
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return g.Name() == "_" || strings.HasPrefix(g.Name(), "init$")
	}
	if loggers.MatchString(named.Obj().Pkg().Path()) {
		return true
	}
	switch named.Obj().Pkg().Path() + "." + named.Obj().Name() {
	case "sync.Mutex", "sync.RWMutex", "sync.Once", "sync.Pool", "sync.WaitGroup", "sync.Cond":
		return true
	}
	return false
}

// isHook reports whether an exported variable has no initial value and a type of which nil or false
// is of little use: another module sets it.
func isHook(u *unit, g *ssa.Global) bool {
	spec, ok := u.node.(*ast.ValueSpec)
	if !ok || len(spec.Values) > 0 || !g.Object().Exported() {
		return false
	}
	switch t := g.Object().Type().Underlying().(type) {
	case *types.Signature, *types.Interface, *types.Pointer:
		return true
	case *types.Basic:
		return t.Kind() == types.Bool
	}
	return false
}
