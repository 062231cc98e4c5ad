package prove

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// unlessBoth ends the message about the default of a field that has to be in every object.
const unlessBoth = ", and the field may be absent in the other one: have both set one, or require it"

// steady reports whether each version has a field wherever it has the object around it, because it
// requires the field or sets a default. The converter then finds the field in every object, and no
// API server sets a default after the conversion.
func (p *pair) steady(g region, at [2]path) bool {
	return p.steps == 1 && hasAlways(g.sides[0], at[0]) && hasAlways(g.sides[1], at[1]) // a third version may leave it out
}

// steadyAround reports the same of the objects that a rule moves its field from or to: it neither makes
// nor deletes one that both versions have.
func (p *pair) steadyAround(g region, r placed) bool {
	for _, at := range r.at {
		for n := r.common() + 1; n < len(at); n++ {
			if p.steps > 1 || !neverEmpty(g, at[:n]) {
				return false
			}
		}
	}
	return true
}

// neverEmpty reports whether an object is in every object of the versions that have it, and whether one that
// both have keeps a member whatever moves: the converter deletes an empty one.
func neverEmpty(g region, object path) bool {
	here, there := lookup(g.sides[0], object), lookup(g.sides[1], object)
	if here == nil || there == nil {
		return (here == nil || hasAlways(g.sides[0], object)) && (there == nil || hasAlways(g.sides[1], object))
	}
	return hasAlways(g.sides[0], object) && hasAlways(g.sides[1], object) && slices.ContainsFunc(propertiesOf(sides{here, there}), func(name string) bool {
		member := object.Join(name)
		if !hasAlways(g.sides[0], member) || !hasAlways(g.sides[1], member) {
			return false
		}
		switch a, b := g.claims[0].within(member), g.claims[1].within(member); {
		case a.whole() || b.whole():
			return a.whole() && a.rule == b.rule && a.rule.stays()
		case a == nil && b == nil:
			return true
		default: // rules are about fields within
			return neverEmpty(g, member)
		}
	})
}

// stays reports whether the field of a rule has the same path in both versions, and is absent in
// neither if it is there in one.
func (r placed) stays() bool {
	pairs := slices.Concat(column(r.Pairs, 0), column(r.Pairs, 1))
	return slices.Contains([]string{"translate", "convert"}, r.Verb) && slices.Equal(r.at[0], r.at[1]) && !slices.Contains(pairs, any(rules.Absent{}))
}

// needed says which version requires the field of a rule, as far as that makes it steady.
func (p *pair) needed(g region, r placed) (needed [2]bool) {
	if !p.steadyAround(g, r) {
		return needed
	}
	for side, s := range g.sides {
		last := r.at[side].Last()
		needed[side] = !isEvery(last) && requires(lookup(s, r.at[side].Parent()), last)
	}
	return needed
}
