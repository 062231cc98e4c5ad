package prove

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// sides are the schemas of two values.
type sides = [2]*schema.Structural

// frame decides about the fields that no rule names: each is in both versions, and the API server
// treats it alike. It goes through the values on both sides that have the same path, down to the
// fields that rules name. c has the claims within.
func (p *prover) frame(s sides, needed [2]bool, root, at path, c [2]*claims) {
	if c[0] == nil && c[1] == nil {
		p.same(s, needed, 0, root.join(at...))
		return
	}
	where, line := root.join(at...), max(c[0].line(), c[1].line())
	if c[0] != nil && c[0].rule != nil || c[1] != nil && c[1].rule != nil {
		return // the whole value is a rule's
	}
	p.container(s, needed, line, where)
	for _, name := range names(s, c) {
		if isMetadata(root, at.join(name)) {
			continue
		}
		p.member(sides{child(s[0], name), child(s[1], name)}, requiredOf(s, name), root, at.join(name), [2]*claims{c[0].child(name), c[1].child(name)})
	}
}

// member decides about one member of a value on both sides.
func (p *prover) member(s sides, needed [2]bool, root, at path, c [2]*claims) {
	where, line := root.join(at...), max(c[0].line(), c[1].line())
	ruled := [2]bool{c[0] != nil && c[0].rule != nil, c[1] != nil && c[1].rule != nil}
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
		p.frame(s, needed, root, at, c)
	case s[0] != nil:
		p.alone(s[0], 0, root, at, c[0])
	case s[1] != nil:
		p.alone(s[1], 1, root, at, c[1])
	default:
		p.need(place, false, line, where, "neither schema names the field")
	}
}

// alone decides about an object that a side has and the other side does not: rules move all fields
// out of it, so it comes and goes with them.
func (p *prover) alone(s *schema.Structural, side int, root, at path, c *claims) {
	version, other, where := p.versions[side], p.versions[1-side], root.join(at...)
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
	p.need(around, c.moves() || p.steps == 1 && !canBeEmpty(s), line, where, "rules drop its fields one by one, and no rule moves one, so that an empty one is lost: drop the object")
	if p.steps > 1 || canBeEmpty(s) { // an object of a third version need not fit the schema
		p.keep(side, [2]path{at, at}, line, len("{}"), reason{empty: true}) // an empty one
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		inner, property := c.child(name), s.Properties[name]
		switch {
		case inner != nil && inner.rule != nil && inner.rule.Verb == "drop":
			p.need(around, c.block(inner.rule.block), line, where.join(name), "the rules for the fields of the object are in several lists")
		case inner != nil && inner.rule != nil:
			p.need(around, inner.rule.relocates(), line, where.join(name), "%s has no object %s, and the rule does not move the field out of it", other, where)
		default:
			p.alone(&property, side, root, at.join(name), inner)
		}
	}
}

// canBeEmpty reports whether the schema allows an object without members.
func canBeEmpty(s *schema.Structural) bool {
	v := s.ValueValidation
	if v == nil {
		return true
	}
	some := v.MinProperties != nil && *v.MinProperties > 0
	for _, name := range v.Required {
		_, named := s.Properties[name]
		some = some || named
	}
	return !some
}

// container decides about an object, a list or a map that both versions have, with fields of rules
// within. needed says which version requires it.
func (p *prover) container(s sides, needed [2]bool, line int, at path) {
	root := len(at) == 0
	for side := range s {
		list := s[side].Type == "array" && s[side].Items != nil
		p.need(place, list || s[side].Type == "object", line, at, "in %s it is neither an object nor a list", p.versions[side])
		p.need(unknown, !s[side].XPreserveUnknownFields && (root || !s[side].XEmbeddedResource), line, at, "in %s it keeps fields that the schema does not name", p.versions[side])
		p.need(null, !s[side].Nullable, line, at, "it can be null in %s", p.versions[side])
		_, element := s[side].Properties[everyElement]
		_, member := s[side].Properties[everyMember]
		p.need(place, !element && !member, line, at, "a field of it is named %s or %s", everyElement, everyMember)
	}
	p.need(place, s[0].Type == s[1].Type && (s[0].AdditionalProperties == nil) == (s[1].AdditionalProperties == nil), line, at, "it has two types")
	a, b := s[0].Default.Object, s[1].Default.Object
	always := (needed[0] || a != nil) && (needed[1] || b != nil) && p.steps == 1 // it is there wherever the object around it is
	p.need(defaults, always || reflect.DeepEqual(a, b) && (a == nil || isEmpty(a)), line, at, "a version sets a default for the whole value")
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// same decides about two values that are equal bytes in both versions: the API server prunes and
// defaults both alike. needed says which version requires the field. Different defaults of a field
// that is in every object of both versions are never set in a converted object.
func (p *prover) same(s sides, needed [2]bool, line int, at path) {
	a, b := s[0], s[1]
	switch {
	case a == nil && b == nil:
		return
	case a == nil || b == nil:
		version := p.versions[0]
		if b == nil {
			version = p.versions[1]
		}
		p.need(shape, false, line, at, "%s has no such field", version)
		return
	}
	p.need(shape, a.Type == b.Type && a.XIntOrString == b.XIntOrString, line, at, "it is %s in %s and %s in %s", typeOf(a), p.versions[0], typeOf(b), p.versions[1])
	p.need(null, a.Nullable == b.Nullable, line, at, "it can be null in one version only")
	always := (needed[0] || a.Default.Object != nil) && (needed[1] || b.Default.Object != nil)
	always = always && p.steps == 1 // a third version may leave the field out
	p.need(defaults, always || reflect.DeepEqual(a.Default.Object, b.Default.Object), line, at, "the versions set different defaults")
	p.need(shape, a.XPreserveUnknownFields == b.XPreserveUnknownFields && a.XEmbeddedResource == b.XEmbeddedResource, line, at, "one version keeps fields that its schema does not name")
	p.need(shape, (a.Items == nil) == (b.Items == nil) && (a.AdditionalProperties == nil) == (b.AdditionalProperties == nil), line, at, "it is a list or a map in one version only")
	for _, name := range propertiesOf(s) {
		var both sides
		for side := range s {
			if property, ok := s[side].Properties[name]; ok {
				both[side] = &property
			}
		}
		p.same(both, requiredOf(s, name), line, at.join(name))
	}
	if a.Items != nil && b.Items != nil {
		p.same(sides{a.Items, b.Items}, [2]bool{}, line, at.join(everyElement))
	}
	if m, n := a.AdditionalProperties, b.AdditionalProperties; m != nil && n != nil {
		p.need(shape, m.Bool == n.Bool && (m.Structural == nil) == (n.Structural == nil), line, at, "one version keeps members that its schema does not describe")
		p.same(sides{m.Structural, n.Structural}, [2]bool{}, line, at.join(everyMember))
	}
}

// requiredOf says which of two objects require a member.
func requiredOf(s sides, name string) (needed [2]bool) {
	for side := range s {
		needed[side] = requires(s[side], name)
	}
	return needed
}

func requires(s *schema.Structural, name string) bool {
	return s != nil && s.ValueValidation != nil && slices.Contains(s.ValueValidation.Required, name)
}

func typeOf(s *schema.Structural) string {
	switch {
	case s.XIntOrString:
		return "an int-or-string"
	case s.Type == "":
		return "a value of any type"
	}
	return s.Type
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

// propertiesOf returns the names of the fields of both sides, sorted.
func propertiesOf(s sides) []string {
	seen := map[string]bool{}
	for side := range s {
		for name := range s[side].Properties {
			seen[name] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
