package kubebuilder

import (
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// place is a member of a fragment's result, or an element of a list, that the types write unasked
// or that has such members. Only these places are compared with the results of probes: most of an
// object is not looked at again.
type place struct {
	node    int32 // of the result
	element int32 // of a list, counted from 1; 0: a member
	unasked bool  // withheld if no probe changes it
	inner   []place

	// What the places within node are found by.
	shape         codec.Shape
	nothing, said int32
}

// grower finds places in the result of a fragment. nothing is the result for an object with only the
// fragment's metadata, and said is the fragment. It keeps the zeros of shapes, since lists have many
// elements of one shape.
type grower struct {
	result, nothing, said *tree
	zeros                 map[codec.Shape]func(name string) ([]byte, bool)
}

// root returns the places in the whole result, which has a shape. Of the metadata, the object takes
// the labels and annotations only, and no other member of it counts.
func (g *grower) root(shape codec.Shape) (all []place) {
	nothing := int32(0)
	if g.nothing != nil {
		nothing = root
	} else {
		g.nothing = &tree{nodes: make([]treeNode, 1)}
	}
	all = g.members(shape, root, nothing, root, envelope)
	metadata := place{node: g.result.get(root, "metadata"), nothing: g.nothing.get(nothing, "metadata"), said: g.said.get(root, "metadata")}
	metadata.inner = g.members(shape.Member("metadata"), metadata.node, metadata.nothing, metadata.said, func(name string) bool {
		return name != "labels" && name != "annotations"
	})
	if len(metadata.inner) > 0 {
		all = append(all, metadata)
	}
	return all
}

// members returns the places in an object: members that nothing has alike, or that a zero value of
// the shape has alike, if the fragment does not have them, and objects and lists around such members.
func (g *grower) members(shape codec.Shape, object, nothing, said int32, except func(name string) bool) (all []place) {
	zero := g.zerosOf(shape)
	inNothing, inSaid := g.nothing.members(nothing), g.said.members(said)
	for m := g.result.first(object); m > 0; m = g.result.next(m) {
		name := g.result.name(m)
		if except != nil && except(name) {
			continue
		}
		p := place{node: m, nothing: inNothing.get(name)}
		text := g.nothing.raw(p.nothing)
		if p.nothing == 0 {
			text, _ = zero(name)
		}
		contains := g.result.contains(m)
		p.unasked = len(text) > 0 && string(g.result.raw(m)) == string(text)
		if !p.unasked && !contains {
			continue
		}
		p.said = inSaid.get(name)
		p.unasked = p.unasked && p.said == 0
		if contains {
			p.shape = shape.Member(name)
			if !p.unasked {
				p.inner = g.within(&p)
			}
		}
		if p.unasked || len(p.inner) > 0 {
			if all == nil {
				all = make([]place, 0, min(g.result.count(object), manyMembers))
			}
			all = append(all, p)
		}
	}
	return all
}

// within returns the places in the value of a place. An element with the place of one in nothing is
// not that one: a list that differs from nothing's keeps what its elements have alike.
func (g *grower) within(p *place) []place {
	switch g.result.kind(p.node) {
	case '{':
		return g.members(p.shape, p.node, p.nothing, p.said, nil)
	case '[':
		return g.elements(p.shape.Element(), p)
	}
	return nil
}

func (g *grower) elements(shape codec.Shape, list *place) (all []place) {
	said := int32(0)
	if g.said.kind(list.said) == '[' {
		said = g.said.first(list.said)
	}
	i := int32(0)
	for m := g.result.first(list.node); m > 0; m = g.result.next(m) {
		i++
		if g.result.contains(m) {
			p := place{element: i, node: m, shape: shape, said: said}
			if p.inner = g.within(&p); len(p.inner) > 0 {
				all = append(all, p)
			}
		}
		said = g.said.next(said)
	}
	return all
}

// zerosOf returns the function of codec.Shape.Zeros.
func (g *grower) zerosOf(shape codec.Shape) func(name string) ([]byte, bool) {
	zero, ok := g.zeros[shape]
	if !ok {
		zero = shape.Zeros()
		if g.zeros == nil {
			g.zeros = map[codec.Shape]func(name string) ([]byte, bool){}
		}
		g.zeros[shape] = zero
	}
	return zero
}

// compare spares the places at which a probe's result differs: of these, the members within stay
// places. other is the value of the probe's result around the places. It returns the places of which
// some is still unasked.
func (g *grower) compare(places []place, probe *tree, other int32) (left []place) {
	kept := 0
	members, at, element := probe.members(other), int32(1), int32(0)
	if probe.kind(other) == '[' {
		element = probe.first(other)
	}
	for i := range places {
		p := &places[i]
		var there int32
		if p.element == 0 {
			there = members.get(g.result.name(p.node))
		} else {
			for ; at < p.element; at++ {
				element = probe.next(element)
			}
			there = element
		}
		if string(g.result.raw(p.node)) == string(probe.raw(there)) {
			kept = keep(places, kept, i)
			continue
		}
		if p.unasked {
			p.unasked = false
			if p.inner = g.within(p); len(p.inner) == 0 {
				continue
			}
		}
		if probe.some(there) {
			p.inner = g.compare(p.inner, probe, there)
		}
		if len(p.inner) > 0 {
			kept = keep(places, kept, i)
		}
	}
	return places[:kept]
}

// keep moves a place behind those that are kept, and returns their number.
func keep(places []place, kept, i int) int {
	if kept < i {
		places[kept] = places[i]
	}
	return kept + 1
}

// render appends a value of the result without the members that are still unasked among the places
// within it.
func (g *grower) render(to []byte, n int32, places []place) []byte {
	if len(places) == 0 {
		return append(to, g.result.raw(n)...)
	}
	to = append(to, g.result.kind(n))
	begin := len(to)
	for m := g.result.first(n); m > 0; m = g.result.next(m) {
		var p place
		if len(places) > 0 && places[0].node == m {
			p, places = places[0], places[1:]
		}
		if !p.unasked {
			to = g.member(to, begin, m, p.inner)
		}
	}
	return append(to, g.result.kind(n)+2) // the closing bracket
}

// member appends a member or element of an object or list whose text starts at begin.
func (g *grower) member(to []byte, begin int, m int32, places []place) []byte {
	if len(to) > begin {
		to = append(to, ',')
	}
	nd := &g.result.nodes[m]
	return g.render(append(to, g.result.text[nd.at:nd.start]...), m, places)
}
