package state

import (
	"cmp"
	"go/ast"
	"go/token"
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
	if v.g.Object().Exported() && !types.Identical(v.g.Object().Type(), types.Universe.Lookup("error").Type()) || len(r.leaks)+len(r.fields) > 0 {
		return true
	}
	return slices.ContainsFunc(v.changes, func(c change) bool { return len(c.entries) > 0 })
}

// variables returns the variables of called functions that functions change which no conversion
// calls: those that the operator's repository uses, and exported functions of its modules.
func (r *reading) variables() (list []Dependence, err error) {
	c, p := r.calls, r.p
	var all []variable
	o := newRepository(r.w, p)
	for g := range c.Globals {
		u := r.w.p.Units[g.Object()]
		if u == nil || isLock(g) || r.setUpOnly(g) {
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

// change is a function that changes a variable, and that no conversion calls.
type change struct {
	at      string
	own     bool           // an exported function of the operator's modules leads to it, and no initialiser
	entries []types.Object // exported functions that lead to it, if the operator's repository uses them
	linked  []types.Object // unexported functions that lead to it, if the operator's repository names them by go:linkname
}

// changes returns the functions that change a variable, apart from called ones and initialisers.
func (r *reading) changes(g *ssa.Global) (list []change) {
	w, p, conversions := r.w, r.p, r.conversions
	for _, u := range w.changers(g) {
		if conversions.Includes(u) || u.Tok != 0 && r.copied.Has(u) {
			continue
		}
		initial := r.calls.Includes(u) // called by init functions in the module, and perhaps by others
		one := change{at: p.Place(w.follow(g).changers[u])}
		if isInitial(u) { // it is reached, or runs in no module
			if p.Own[u.Package.Module.Path] && r.later(u, g) {
				one.own = true
				list = append(list, one)
			}
			continue
		}
		for before := range w.before([]*code.Unit{u}) {
			if isInitial(before) && p.Own[before.Package.Module.Path] && before != u && !r.start(before).Includes(u) {
				one.own = true // another package got a function that leads to it
			}
			if len(before.Defs) == 0 || conversions.Includes(before) {
				continue
			}
			f, ok := before.Defs[0].(*types.Func)
			if !ok && before.Tok == token.VAR { // of a function, perhaps
				for _, o := range before.Defs {
					if o.Exported() && o != g.Object() {
						one.entries = append(one.entries, o)
					}
				}
			}
			if !ok || !f.Exported() {
				if ok && f.Signature().Recv() == nil && p.Own[before.Package.Module.Path] {
					one.linked = append(one.linked, f)
					one.own = one.own || isRenamed(before, f)
				}
				continue
			}
			own := p.Own[before.Package.Module.Path]
			one.own = one.own || own && !initial
			if own || f.Signature().Recv() == nil { // in libraries, the name of a method says little
				one.entries = append(one.entries, f)
			}
		}
		// Methods of a library say little, but the operator gave it the memory.
		if f, ok := u.Node.(*ast.FuncDecl); ok && f.Recv != nil && !p.Own[u.Package.Module.Path] && r.given(g) {
			one.own = true
		}
		list = append(list, one)
	}
	return list
}

// given reports whether code of the operator that no conversion calls gives a variable's memory to
// another module.
func (r *reading) given(g *ssa.Global) bool {
	for u := range r.w.follow(g).givers {
		if !r.conversions.Includes(u) && r.w.p.Units[g.Object()] != u {
			return true
		}
	}
	return false
}

// isInitial reports whether a declaration is an init function.
func isInitial(u *code.Unit) bool {
	f, ok := u.Node.(*ast.FuncDecl)
	return ok && f.Name.Name == "init" && f.Recv == nil
}

// start returns the calls that an init function makes when a program starts.
func (r *reading) start(u *code.Unit) *calls.Calls {
	if r.started[u] == nil {
		r.started[u] = calls.Started(r.w.p, r.w.s, r.copied, []*ssa.Function{r.w.s.Declared(u, u.Node.(*ast.FuncDecl))}, map[*ssa.Function]bool{})
	}
	return r.started[u]
}

// later reports whether a function literal of an init function changes a variable, and is not called
// when a program starts.
func (r *reading) later(u *code.Unit, g *ssa.Global) (found bool) {
	started := r.start(u)
	r.w.each(u, func(i ssa.Instruction) {
		found = found || i.Parent().Parent() != nil && !started.Functions[i.Parent()] && r.w.mention(i, g)
	})
	return found
}

// changers returns the units that change a variable, but for its own, in the order of the source.
func (w *Memory) changers(g *ssa.Global) (list []*code.Unit) {
	return slices.SortedFunc(maps.Keys(w.follow(g).changers), func(a, b *code.Unit) int { return cmp.Compare(a.Node.Pos(), b.Node.Pos()) })
}

// before returns units, and those that mention them directly or by way of others.
func (w *Memory) before(units []*code.Unit) map[*code.Unit]bool {
	all := map[*code.Unit]bool{}
	for queue := slices.Clone(units); len(queue) > 0; queue = queue[1:] {
		if u := queue[0]; !all[u] {
			all[u] = true
			for _, o := range u.Defs {
				queue = append(queue, w.p.Mentioned()[o]...)
			}
		}
	}
	return all
}

// initialisers returns the init functions and variables that change another variable when a program
// starts.
func (w *Memory) initialisers(part calls.Copy, g *ssa.Global) (list []*code.Unit) {
	if list, ok := w.inits[g]; ok {
		return list
	}
	changers := w.changers(g)
	for u := range w.before(changers) {
		f, ok := u.Node.(*ast.FuncDecl)
		if w.s.Broken[u.Package.PkgPath] != nil || ok && (f.Name.Name != "init" || f.Recv != nil) || !ok && u.Tok != token.VAR || u == w.p.Units[g.Object()] {
			continue
		}
		var roots []*ssa.Function
		values := map[*ssa.Function]bool{}
		if ok {
			roots = []*ssa.Function{w.s.Declared(u, f)}
		} else {
			pkg := w.s.SSA.Package(u.Package.Types)
			w.s.Build(pkg)
			direct := false
			for _, i := range w.s.Initial(pkg, u) {
				direct = direct || w.mention(i, g)
				if call, ok := i.(*ssa.Call); ok && call.Call.StaticCallee() != nil {
					roots = append(roots, call.Call.StaticCallee())
				}
				for _, operand := range i.Operands(nil) {
					if f, ok := (*operand).(*ssa.Function); ok {
						values[f] = true
					}
				}
			}
			if direct {
				list = append(list, u)
				continue
			}
		}
		called := calls.Started(w.p, w.s, part, roots, values)
		if slices.ContainsFunc(changers, func(c *code.Unit) bool { return called.Includes(c) }) {
			list = append(list, u)
		}
	}
	w.inits[g] = list
	return list
}

// remembers returns the places at which conversions themselves change a variable: a gateway resets a
// module after each batch, and the operator's process keeps the value. A change in the function of a
// sync.Once is an initialisation.
func (r *reading) remembers(g *ssa.Global) (places []string) {
	w, p, conversions := r.w, r.p, r.conversions
	if !r.isRead(g) {
		return nil
	}
	for _, u := range w.changers(g) {
		if f, ok := u.Node.(*ast.FuncDecl); !ok || f.Name.Name == "init" || !conversions.Includes(u) {
			continue
		}
		f := w.flow()
		w.each(u, func(i ssa.Instruction) {
			if !isOnce(i.Parent()) {
				f.mention(i, g)
			}
		})
		if f.change != token.NoPos || !slices.Contains(w.p.Mentioned()[g.Object()], u) {
			places = append(places, p.Place(w.follow(g).changers[u]))
		}
	}
	return places
}

// isRead reports whether a conversion does more with a variable than to give it a value.
func (r *reading) isRead(g *ssa.Global) bool {
	return slices.ContainsFunc(r.w.p.Mentioned()[g.Object()], func(u *code.Unit) bool { return r.conversions.Includes(u) && r.w.reads(u, g) })
}

// reads reports whether a function does more with a variable than to give it a value.
func (w *Memory) reads(u *code.Unit, g *ssa.Global) (found bool) {
	w.each(u, func(i ssa.Instruction) {
		store, ok := i.(*ssa.Store)
		found = found || slices.ContainsFunc(i.Operands(nil), func(v *ssa.Value) bool { return *v == g }) && !(ok && store.Addr == g)
	})
	return found
}
