package prove

import (
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// frame decides about the fields of a region that no rule names: each is in both versions, and the API
// server treats it alike.
type frame struct {
	*stash
	region
}

// decide goes through the values on both sides that have the same path, down to the fields that rules
// name.
func (p frame) decide() { p.value(p.sides, [2]bool{}, nil, p.claims) }

// value decides about two values of one path. needed says which version requires it, and c has the
// claims within.
func (p frame) value(s sides, needed [2]bool, at path, c [2]*claims) {
	where, line := p.here(at), max(c[0].line(), c[1].line())
	if c[0] == nil && c[1] == nil {
		p.same(s, needed, line, where)
		return
	}
	if c[0].whole() || c[1].whole() {
		return // the whole value is a rule's
	}
	p.container(s, needed, line, where)
	for _, name := range names(s, c) {
		if !p.isMetadata(at.Join(name)) {
			p.member(sides{child(s[0], name), child(s[1], name)}, requiredOf(s, name), at.Join(name), [2]*claims{c[0].child(name), c[1].child(name)})
		}
	}
}

// member decides about one member of a value on both sides.
func (p frame) member(s sides, needed [2]bool, at path, c [2]*claims) {
	where, line := p.here(at), max(c[0].line(), c[1].line())
	ruled := [2]bool{c[0].whole(), c[1].whole()}
	for side := range ruled {
		other := 1 - side
		if !ruled[side] || ruled[other] {
			continue
		}
		p.need(vacant, s[other] == nil && c[other] == nil, line, where, "%s has a field there, and the rule is about the one of %s", p.versions[other], p.versions[side])
		return
	}
	switch {
	case ruled[0]:
	case s[0] != nil && s[1] != nil:
		p.value(s, needed, at, c)
	case s[0] != nil:
		p.alone(s[0], 0, at, c[0])
	case s[1] != nil:
		p.alone(s[1], 1, at, c[1])
	default:
		p.need(place, false, line, where, "neither schema names the field")
	}
}

// alone decides about an object that a side has and the other side does not: rules move all fields
// out of it, so it comes and goes with them.
func (p frame) alone(s *schema.Structural, side int, at path, c *claims) {
	version, other, where := p.versions[side], p.versions[1-side], p.here(at)
	if c == nil {
		p.need(field, false, 0, where, "%s has no such field, and no rule says where it goes", other)
		return
	}
	line := c.line()
	if !p.need(place, s.Type == "object" && s.AdditionalProperties == nil && len(s.Properties) > 0, line, where, "in %s it is not an object with named fields", version) {
		return
	}
	p.need(unknown, !s.XPreserveUnknownFields && !s.XEmbeddedResource, line, where, "in %s it keeps fields that the schema does not name", version)
	p.need(null, !s.Nullable, line, where, "it can be null in %s", version)
	p.need(defaults, s.Default.Object == nil, line, where, "%s sets a default", version)
	whole := p.roots[side].Join(at...)
	p.need(around, slices.ContainsFunc(p.cleaned[side], whole.Equal), line, where, "the module does not delete it when rules leave it empty: drop the object, or move a field out of it in the list of rules that drops the others")
	if p.steps > 1 || canBeEmpty(s) { // an object of a third version need not fit the schema
		p.need(around, slices.ContainsFunc(p.noted[side], whole.Equal), line, where, "the module does not remember that it was empty")
		p.keep(side, p.origin(line, at), len("{}"), reason{empty: true}) // an empty one
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		inner, property := c.child(name), s.Properties[name]
		switch {
		case inner.whole() && inner.rule.Verb == "drop":
			p.need(around, c.block(inner.rule.block), line, where.Join(name), "the rules for the fields of the object are in several lists")
		case inner.whole():
			p.need(around, inner.rule.relocates(), line, where.Join(name), "%s has no object %s, and the rule does not move the field out of it", other, where)
		default:
			p.alone(&property, side, at.Join(name), inner)
		}
	}
}

// names returns the steps from two values to their children, sorted: those of the schemas and of
// the claims.
func names(s sides, c [2]*claims) []string {
	seen := map[string]bool{}
	for side := range s {
		if s[side].Items != nil {
			seen[everyElement] = true
		}
		if s[side].AdditionalProperties != nil {
			seen[everyMember] = true
		}
		if c[side] != nil {
			for name := range c[side].children {
				seen[name] = true
			}
		}
	}
	for _, name := range propertiesOf(s) {
		seen[name] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// lemma decides about one rule: whether the conditions hold under which it loses nothing. It has a
// method for each verb.
type lemma struct{ *stash }
