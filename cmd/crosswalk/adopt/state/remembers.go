package state

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

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
