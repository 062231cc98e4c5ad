package extract

import (
	"go/ast"
	"go/types"
)

// reachInits reaches the init functions that mention a variable that is reached.
func (r *reacher) reachInits() {
	for _, list := range r.inits {
		for _, u := range list {
			if r.Reached[u] {
				continue
			}
			ast.Inspect(u.Node, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if v, ok := u.Package.TypesInfo.Uses[id].(*types.Var); ok && r.Units[v] != nil && r.Reached[r.Units[v]] && !r.Reached[u] {
						r.Reached[u] = true
						r.queue = append(r.queue, u)
					}
				}
				return true
			})
		}
	}
}

// reachEffects reaches the initialisers that change a variable which conversions mention, also by
// way of functions that they call: an init function, or a variable whose initial value is the
// result of such a function. It reports whether anything changed.
func (r *reacher) reachEffects(roots []types.Object) bool {
	if r.Hidden.Proof == nil {
		return false
	}
	before := len(r.Reached)
	for _, u := range r.Search().Initialisers(roots) {
		r.reachUnit(u)
		r.effects[u.Package.PkgPath] = true
	}
	return len(r.Reached) > before
}
