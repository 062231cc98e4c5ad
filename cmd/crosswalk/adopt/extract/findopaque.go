package extract

import (
	"go/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// findOpaque finds the opaque types of a kind, and of which types fmt may print values.
func findOpaque(p *operator.Program, roots []types.Object, k discover.Resource, wanted bool) (*Opaque, error) {
	s := newProof(p)
	o := &Opaque{Types: map[*types.TypeName]string{}, shown: map[*types.TypeName]bool{}, Proof: s}
	for {
		x, err := From(p, roots, o, false)
		if err != nil {
			return nil, err
		}
		before := len(s.Shown)
		if err := s.look(x); err != nil {
			return nil, err
		}
		o.shown = s.Shown
		if len(s.Shown) > before {
			continue // more methods are reached now
		}
		if wanted {
			for t := range shared(k) {
				if zero, ok := zeroOf(t.Type(), 0); ok && zero[0] == '{' && !s.touched[t] && s.candidate(x, t, k) {
					o.Types[t] = zero
				}
			}
			if names, ok := s.Metadata.Names(s, k); ok {
				o.Metadata = names
			}
		}
		return o, nil
	}
}

// shared returns the named struct types that are members of every version.
func shared(k discover.Resource) map[*types.TypeName]bool {
	var all map[*types.TypeName]bool
	for _, v := range k.Versions() {
		found := map[*types.TypeName]bool{}
		members(v.Named, found, map[types.Type]bool{})
		if all == nil {
			all = found
			continue
		}
		for t := range all {
			if !found[t] {
				delete(all, t)
			}
		}
	}
	return all
}

// members notes the named struct types among the exported members of a type, at every depth.
func members(t types.Type, found map[*types.TypeName]bool, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		if _, ok := t.Underlying().(*types.Struct); ok && t.Obj().Pkg() != nil {
			found[t.Obj()] = true
		}
		members(t.Underlying(), found, seen)
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() {
				members(field.Type(), found, seen)
			}
		}
	default:
		for _, inner := range code.Elements(t) {
			members(inner, found, seen)
		}
	}
}
