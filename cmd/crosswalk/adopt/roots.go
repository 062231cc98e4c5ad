package adopt

import "go/types"

// roots returns the declarations that a module of the kind names.
func (k kind) roots() (roots []types.Object) {
	for _, v := range k.versions() {
		roots = append(roots, v.named.Obj())
		if v.to != nil {
			roots = append(roots, v.to, v.from)
		}
		if v.defaults != nil {
			roots = append(roots, v.defaults)
		}
	}
	if hub := method(k.hub.named, "Hub"); hub != nil {
		roots = append(roots, hub)
	}
	return roots
}

// extract copies the declarations that the kind needs, with opaque types if the options ask for
// them.
func (o Options) extract(p *program, k kind) (*extraction, *opaque, error) {
	roots := append(k.roots(), p.setUpRoots()...)
	unstructured := k.form == formUnstructured
	if unstructured {
		more, err := p.unstructuredRoots()
		if err != nil {
			return nil, nil, err
		}
		roots = append(roots, more...)
	}
	hidden, err := findOpaque(p, roots, k, o.Opaque && !unstructured) // apimachinery's converter looks into every type
	if err != nil {
		return nil, nil, err
	}
	x, err := extract(p, roots, hidden, true)
	if err != nil {
		return nil, nil, err
	}
	if x.kept = x.needsJSON(); unstructured {
		x.kept = "its methods take unstructured objects"
	}
	if x.kept != "" {
		kept := x.kept
		if x, err = extract(p, roots, hidden, false); err != nil {
			return nil, nil, err
		}
		x.kept = kept
	}
	for t := range hidden.types { // those that are in opaque types only are gone
		if u := x.units[t]; u == nil || !x.reached[u] {
			delete(hidden.types, t)
		}
	}
	return x, hidden, nil
}
