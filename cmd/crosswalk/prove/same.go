package prove

import (
	"reflect"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
)

// same decides about two values that are equal bytes in both versions: the API server prunes and
// defaults both alike. needed says which version requires the field. Different defaults of a field
// that is in every object of both versions are never set in a converted object.
func (p *pair) same(s sides, needed [2]bool, line int, at path) {
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
	p.typed(b, a.Type, line, at, p.versions[1], p.versions[0]+" has")
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
		p.same(both, requiredOf(s, name), line, at.Join(name))
	}
	if a.Items != nil && b.Items != nil {
		p.same(sides{a.Items, b.Items}, [2]bool{}, line, at.Join(everyElement))
	}
	if m, n := a.AdditionalProperties, b.AdditionalProperties; m != nil && n != nil {
		p.need(shape, m.Bool == n.Bool && (m.Structural == nil) == (n.Structural == nil), line, at, "one version keeps members that its schema does not describe")
		p.same(sides{m.Structural, n.Structural}, [2]bool{}, line, at.Join(everyMember))
	}
}

// container decides about an object, a list or a map that both versions have, with fields of rules
// within. needed says which version requires it.
func (p *pair) container(s sides, needed [2]bool, line int, at path) {
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
	p.need(defaults, always || reflect.DeepEqual(a, b) && (a == nil || fuzz.EmptyValue(a)), line, at, "a version sets a default for the whole value")
}
