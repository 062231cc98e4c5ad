package prove

import (
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// nest decides about a value that is a member of an object in the other version. Fields of the object
// that other rules drop are gone when the value leaves it, and come back when it is in it again.
func (p *prover) nest(at path, r placed, fields sides) {
	value, object := fields[r.Side], without(fields[1-r.Side], r.dropped)
	whole, version := at.join(r.at[1-r.Side]...), p.versions[1-r.Side]
	p.need(known, r.Type == "" || r.Type == value.Type, r.Line, whole, "the rule demands the type %s", r.Type)
	p.need(unknown, !object.XPreserveUnknownFields && !object.XEmbeddedResource, r.Line, whole, "in %s it keeps fields that the schema does not name", version)
	member := child(object, r.Key)
	if !p.need(place, member != nil && object.AdditionalProperties == nil && !isEvery(r.Key), r.Line, whole, "the schema of %s does not name %s", version, r.Key) {
		return
	}
	required := requires(object, r.Key)
	if element := r.at[1-r.Side]; !required && (len(element) == 0 || isEvery(element[len(element)-1])) { // an element cannot become nothing
		p.accepted(r.Line, 1-r.Side, p.roots[1-r.Side].join(element...), "an object without "+r.Key)
	}
	p.need(one, len(r.dropped) == 0 || len(object.Properties) == 1 && required, r.Line, whole, "rules drop fields of the object, and the annotation may keep the rest of it, too: drop all of its fields but %s, which has to be required", r.Key)
	if len(object.Properties) != 1 || !required {
		p.keep(1-r.Side, r.at, r.Line, longest(object, 0), reason{value: required})
	}
	p.need(null, !member.Nullable, r.Line, whole.join(r.Key), "it can be null in %s", version)
	p.need(defaults, value.Default.Object == nil && object.Default.Object == nil && member.Default.Object == nil, r.Line, whole, "a version sets a default")
	p.same(ordered(r.Side, value, member), [2]bool{}, r.Line, at.join(r.at[r.Side]...))
}

// dropsWithin gives each rule nest the paths, from its object, of the fields that rules without a
// condition drop within, and returns the indexes of these rules.
func dropsWithin(all []placed) (inner map[int]bool) {
	inner = map[int]bool{}
	for i := range all {
		n := &all[i]
		n.dropped = nil
		object := n.at[1-n.Side]
		for j, d := range all {
			within := d.Verb == "drop" && d.Side == 1-n.Side && d.at[d.Side].common(object) == len(object) && len(d.at[d.Side]) > len(object)
			if rest := d.at[d.Side][min(len(object), len(d.at[d.Side])):]; n.Verb == "nest" && within && !(len(rest) == 1 && rest[0] == n.Key) && !slices.ContainsFunc(rest, isEvery) {
				n.dropped, inner[j] = append(n.dropped, rest), true
			}
		}
	}
	return inner
}

// without returns a schema without the fields at some paths.
func without(s *schema.Structural, paths []path) *schema.Structural {
	for _, at := range paths {
		if len(at) == 0 || s == nil {
			continue
		}
		property, ok := s.Properties[at[0]]
		if !ok {
			continue
		}
		copied := *s
		copied.Properties = maps.Clone(s.Properties)
		if len(at) == 1 {
			delete(copied.Properties, at[0])
		} else {
			copied.Properties[at[0]] = *without(&property, []path{at[1:]})
		}
		s = &copied
	}
	return s
}
