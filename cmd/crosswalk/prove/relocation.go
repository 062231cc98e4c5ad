package prove

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// relocation decides about a field that the rule brings to another object.
func (p lemma) relocation(g region, r placed, fields sides) {
	common := r.common()
	p.need(top, !g.top() || common > 0, r.Line, r.where(0), "it moves to another member at the top of the object")
	steady := p.steady(g, r.at) && p.steadyAround(g, r)
	for side := range fields {
		p.need(defaults, fields[side].Default.Object == nil || steady, r.Line, r.where(side), "%s sets a default, and the field or the object around it may be absent", p.versions[side])
		for n := common + 1; n < len(r.at[side]); n++ {
			p.objectAround(g, r, side, r.at[side][:n], steady)
		}
	}
}

// objectAround decides about an object of a side that the rule fills or empties. It is steady if every
// object of both versions has it.
func (p lemma) objectAround(g region, r placed, side int, object path, steady bool) {
	other, where := 1-side, g.here(object)
	p.need(around, g.claims[0].within(object).block(r.block) && g.claims[1].within(object).block(r.block), r.Line, where, "the rules for the fields of the object are in several lists")
	here, there := lookup(g.sides[side], object), lookup(g.sides[other], object)
	if there == nil {
		p.need(around, !p.shares(g, side, object), r.Line, where, "the file lists it in shared, and %s does not have it", p.versions[other])
		return
	}
	if !p.need(around, p.shares(g, side, object), r.Line, where, "both versions have the object, and the move deletes it when it becomes empty: list it in shared") {
		return
	}
	p.need(defaults, steady || here.Default.Object == nil && there.Default.Object == nil, r.Line, where, "a version sets a default for the object around the field")
	for _, o := range []*schema.Structural{here, there} { // where the move makes the object, the API server fills it
		p.need(defaults, steady || !setsDefaults(o, o, 0), r.Line, where, "a version sets a default within the object, which the move can make")
	}
	whole := g.roots[other].Join(object...)
	p.need(around, slices.ContainsFunc(p.noted[other], whole.Equal), r.Line, where, "the module does not remember that it was empty in %s before the move fills it", p.versions[other])
	p.keep(other, r.origin().of([2]path{object, object}), len("{}"), reason{empty: true, value: true}) // an empty one that the move fills
}

// shares reports whether the module keeps an object of both versions that is empty: the file lists it
// in shared, or rules are about fields of it on the other side, too.
func (p lemma) shares(g region, side int, object path) bool {
	for _, q := range p.shared {
		for s := range g.roots {
			if whole := g.roots[s].Join(object...); q.Common(whole) == len(whole) {
				return true
			}
		}
	}
	there := g.claims[1-side]
	for _, name := range object {
		if there = there.child(name); there == nil {
			return false
		}
	}
	return there.children != nil
}
