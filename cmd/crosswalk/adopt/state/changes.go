package state

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
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
		if conversions.Includes(u) || u.Tok != 0 && r.copied.Has(u) {
			continue
		}
		initial := r.calls.Includes(u) // called by init functions in the module, and perhaps by others
		if f, ok := u.Node.(*ast.FuncDecl); ok && f.Name.Name == "init" && f.Recv == nil {
			continue // it is reached, or runs in no module
		}
		one := change{at: p.Place(w.follow(g).changers[u])}
		for before := range w.before([]*code.Unit{u}) {
			if len(before.Defs) == 0 || conversions.Includes(before) {
				continue
			}
			f, ok := before.Defs[0].(*types.Func)
			if !ok && before.Tok == token.VAR { // of a function, perhaps
				for _, o := range before.Defs {
					if o.Exported() && o != g.Object() {
						one.entries = append(one.entries, symbolOf(o))
					}
				}
			}
			if !ok || !f.Exported() {
				if ok && f.Signature().Recv() == nil && p.Own[before.Package.Module.Path] {
					one.linked = append(one.linked, symbolOf(f))
				}
				continue
			}
			own := p.Own[before.Package.Module.Path]
			one.own = one.own || own && !initial
			if own || f.Signature().Recv() == nil { // in libraries, the name of a method says little
				one.entries = append(one.entries, symbol{before.Package.PkgPath, f.Name()})
			}
		}
		list = append(list, one)
	}
	return list
}
