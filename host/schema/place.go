package schema

import "github.com/crosswalk-gateway/crosswalk/internal/rawjson"

// Place is a place in the objects of a version, to follow paths that others wrote. The zero Place
// knows nothing, like the places below it.
type Place struct{ node *node }

// Root is the object itself.
func (v *Version) Root() Place { return Place{v.root} }

// Member goes to a member. It returns the zero Place if the API server would drop the member.
func (p Place) Member(name string) (Place, bool) {
	n := p.node
	switch {
	case n == nil:
		return Place{}, true
	case n.fields[name] != nil && n.fields[name].node != nil:
		return Place{n.fields[name].node}, true
	case n.additional != nil:
		return Place{n.additional}, true
	case n.embedded && (name == "apiVersion" || name == "kind" || name == "metadata"):
		return Place{}, true
	}
	return Place{}, n.preserve
}

// Every goes to the members of any name.
func (p Place) Every() (Place, bool) {
	n := p.node
	switch {
	case n == nil:
		return Place{}, true
	case n.additional != nil:
		return Place{n.additional}, true
	}
	return Place{}, n.preserve || len(n.fields) > 0
}

// Elements goes to the elements of an array.
func (p Place) Elements() (Place, bool) {
	n := p.node
	switch {
	case n == nil:
		return Place{}, true
	case n.kinds&kindsOf(rawjson.Array) == 0:
		return Place{}, false
	}
	return Place{n.items}, true
}
