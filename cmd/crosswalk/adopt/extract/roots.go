package extract

import (
	"go/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// roots returns the declarations that a module of the kind names.
func roots(k discover.Resource) (roots []types.Object) {
	for _, v := range k.Versions() {
		roots = append(roots, v.Named.Obj())
		if v.To != nil {
			roots = append(roots, v.To, v.From)
		}
		if v.Defaults != nil {
			roots = append(roots, v.Defaults)
		}
	}
	if hub := discover.Method(k.Hub.Named, "Hub"); hub != nil {
		roots = append(roots, hub)
	}
	return roots
}

// Kind copies the declarations that a kind needs, with opaque types if they are wanted.
func Kind(p *operator.Program, k discover.Resource, opaque bool) (*Extraction, *Opaque, error) {
	roots := append(roots(k), p.SetUpRoots()...)
	unstructured := k.Form == discover.FormUnstructured
	if unstructured {
		more, err := discover.UnstructuredRoots(p)
		if err != nil {
			return nil, nil, err
		}
		roots = append(roots, more...)
	}
	hidden, err := findOpaque(p, roots, k, opaque && !unstructured) // apimachinery's converter looks into every type
	if err != nil {
		return nil, nil, err
	}
	x, err := From(p, roots, hidden, true)
	if err != nil {
		return nil, nil, err
	}
	if x.Kept = x.NeedsJSON(); unstructured {
		x.Kept = "its methods take unstructured objects"
	}
	if x.Kept != "" {
		kept := x.Kept
		if x, err = From(p, roots, hidden, false); err != nil {
			return nil, nil, err
		}
		x.Kept = kept
	}
	for t := range hidden.Types { // those that are in opaque types only are gone
		if u := x.Units[t]; u == nil || !x.Reached[u] {
			delete(hidden.Types, t)
		}
	}
	return x, hidden, nil
}
