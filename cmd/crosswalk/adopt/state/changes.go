package state

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

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
