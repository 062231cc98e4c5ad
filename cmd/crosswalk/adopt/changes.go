package adopt

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// change is a function that changes a variable, and that no conversion calls.
type change struct {
	at      string
	own     bool     // an exported function of the operator's modules leads to it, and no initialiser
	entries []symbol // exported functions that lead to it, if the operator's repository uses them
	linked  []symbol // unexported functions that lead to it, if the operator's repository names them by go:linkname
}

// changes returns the functions that change a variable, apart from called ones and initialisers.
func (r *reading) changes(g *ssa.Global) (list []change) {
	w, p, conversions := r.w, r.p, r.conversions
	for _, u := range w.changers(g) {
		if conversions.includes(u) || u.tok != 0 && r.copied.Has(u) {
			continue
		}
		initial := r.calls.includes(u) // called by init functions in the module, and perhaps by others
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
