package kubebuilder

import (
	"slices"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// place is a member of a fragment's result, or an element of a list, that the types write unasked
// or that has such members. Only these places are compared with the results of probes: most of an
// object is not looked at again.
type place struct {
	name    string // of a member
	element int    // of a list, counted from 1; 0: a member
	value   crosswalk.Value
	unasked bool // withheld if no probe changes it
	inner   []*place

	// What the places within value are found by.
	shape         codec.Shape
	nothing, said crosswalk.Value
}

// grower finds places. It keeps the zeros of shapes, since lists have many elements of one shape.
type grower struct {
	zeros map[codec.Shape]func(name string) ([]byte, bool)
}

func newGrower() *grower { return &grower{zeros: map[codec.Shape]func(name string) ([]byte, bool){}} }

// root returns the places in a whole result, which has a shape. Of the metadata, replace takes the
// labels and annotations only, and no other member of it counts. nothing is the result for an object
// with only the fragment's metadata. All but the result may be absent.
func (g *grower) root(shape codec.Shape, result, nothing, said crosswalk.Value) (all []*place) {
	all = append(all, g.members(shape, result, nothing, said, "apiVersion", "kind", "metadata")...)
	metadata := place{name: "metadata", shape: shape.Member("metadata")}
	metadata.value, _ = result.Get("metadata")
	metadata.nothing, _ = nothing.Get("metadata")
	metadata.said, _ = said.Get("metadata")
	for _, p := range g.within(&metadata) {
		if p.name == "labels" || p.name == "annotations" {
			metadata.inner = append(metadata.inner, p)
		}
	}
	if len(metadata.inner) > 0 {
		all = append(all, &metadata)
	}
	return all
}

// members returns the places in an object: members that nothing has alike, or that a zero value of
// the shape has alike, if the fragment does not have them, and objects and lists around such members.
func (g *grower) members(shape codec.Shape, object, nothing, said crosswalk.Value, except ...string) (all []*place) {
	zero := g.zerosOf(shape)
	inNothing, inSaid := indexOf(nothing), indexOf(said)
	for name, member := range object.Members() {
		if slices.Contains(except, name) {
			continue
		}
		there := inNothing.get(name)
		text, some := there.Raw()
		if !some {
			text, some = zero(name)
		}
		kind := member.Type()
		contains := kind == crosswalk.TypeObject || kind == crosswalk.TypeArray
		unasked := false
		if some && len(text) > 0 {
			raw, _ := member.Raw()
			unasked = string(raw) == string(text)
		}
		if !unasked && !contains {
			continue
		}
		p := &place{name: name, value: member, shape: shape.Member(name), nothing: there, said: inSaid.get(name)}
		p.unasked = unasked && p.said.Type() == crosswalk.TypeInvalid
		if !p.unasked && contains {
			p.inner = g.within(p)
		}
		if p.unasked || len(p.inner) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// within returns the places in the value of a place. An element with the place of one in nothing is
// not that one: a list that differs from nothing's keeps what its elements have alike. The text of
// an opaque type is the fragment's own, and the types write nothing in it.
func (g *grower) within(p *place) (all []*place) {
	if p.shape.Opaque() {
		return nil
	}
	switch p.value.Type() {
	case crosswalk.TypeObject:
		return g.members(p.shape, p.value, p.nothing, p.said)
	case crosswalk.TypeArray:
		if p.shape.Element().Opaque() {
			return nil
		}
		said := elements(p.said)
		for i, e := range p.value.Elements() {
			if t := e.Type(); t != crosswalk.TypeObject && t != crosswalk.TypeArray {
				continue
			}
			inner := &place{element: i + 1, value: e, shape: p.shape.Element(), said: at(said, i)}
			if inner.inner = g.within(inner); len(inner.inner) > 0 {
				all = append(all, inner)
			}
		}
	}
	return all
}

// zerosOf returns the function of codec.Shape.Zeros.
func (g *grower) zerosOf(shape codec.Shape) func(name string) ([]byte, bool) {
	zero, ok := g.zeros[shape]
	if !ok {
		zero = shape.Zeros()
		g.zeros[shape] = zero
	}
	return zero
}

// compare spares the places at which a probe's result differs: of these, the members within stay
// places. other is the value of the probe's result around the places. It returns the places of which
// some is still unasked.
func (g *grower) compare(places []*place, other crosswalk.Value) (left []*place) {
	members, list := indexOf(other), []crosswalk.Value(nil)
	for i, p := range places {
		var there crosswalk.Value
		switch {
		case p.element == 0:
			there = members.get(p.name)
		case i == 0:
			list = elements(other)
			fallthrough
		default:
			there = at(list, p.element-1)
		}
		if p.unasked {
			was, _ := p.value.Raw()
			is, _ := there.Raw()
			if string(was) == string(is) {
				left = append(left, p)
				continue
			}
			p.unasked = false
			p.inner = g.within(p)
		}
		if t := there.Type(); t != crosswalk.TypeInvalid && t != crosswalk.TypeNull {
			p.inner = g.compare(p.inner, there)
		}
		if len(p.inner) > 0 {
			left = append(left, p)
		}
	}
	return left
}

// withhold removes the members that are still unasked.
func (p *place) withhold() {
	if p.unasked {
		p.value.Remove()
	}
	for _, inner := range p.inner {
		inner.withhold()
	}
}

// texts appends the texts of the places that are unasked, each one once.
func texts(to []byte, places []*place, seen map[string]bool) []byte {
	for _, p := range places {
		if raw, _ := p.value.Raw(); p.unasked && !seen[string(raw)] {
			seen[string(raw)] = true
			to = append(to, raw...)
		}
		to = texts(to, p.inner, seen)
	}
	return to
}
