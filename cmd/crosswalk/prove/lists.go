package prove

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// listLemmas are the lemmas for lists, maps and their elements.
type listLemmas struct{ *prover }

// splitList decides about a text that is a list of texts in the other version. Every text has a list,
// and a list has a text if no element contains the separator. One character cannot stand partly in an
// element and partly in the separator, so the list comes back.
func (p listLemmas) splitList(at path, r placed, fields sides) {
	text, list := fields[r.Side], fields[1-r.Side]
	here, there := at.join(r.at[r.Side]...), at.join(r.at[1-r.Side]...)
	p.need(known, len(r.Cut) == 1, r.Line, here, "the separator has several characters, which elements may have at their ends")
	p.need(place, text.Type == "string", r.Line, here, "it is not a text in %s", p.versions[r.Side])
	if !p.need(place, list.Type == "array" && list.Items != nil && list.Items.Type == "string", r.Line, there, "it is not a list of texts in %s", p.versions[1-r.Side]) {
		return
	}
	p.need(null, !list.Items.Nullable, r.Line, there.join(everyElement), "it can be null in %s", p.versions[1-r.Side])
	p.need(defaults, text.Default.Object == nil && list.Default.Object == nil && list.Items.Default.Object == nil, r.Line, there, "a version sets a default")
	values, all := valuesOf(list.Items)
	refuses := !all || slices.ContainsFunc(values, func(v any) bool { return v == any("") || strings.Contains(v.(string), r.Cut) })
	if refuses {
		p.accepted(r.Line, 1-r.Side, p.roots[1-r.Side].join(r.at[1-r.Side]...).join(everyElement), "an element with the separator, or one empty element,")
	}
}

// listFromMap decides about a map that is a list of objects with a key in the other version. A key of
// a map is there once, so the map comes back from the list. The list comes back from the map in the
// order of the keys, and the annotation keeps a list that has another order.
func (p listLemmas) listFromMap(at path, r placed, fields sides) {
	side, other := r.Side, 1-r.Side
	whole, list := fields[side], fields[other]
	here, there := at.join(r.at[side]...), at.join(r.at[other]...)
	p.need(known, len(r.Inner) == 0, r.Line, here, "there is no lemma for rules for the elements")
	if !p.need(place, whole.Type == "object" && len(whole.Properties) == 0 && child(whole, everyMember) != nil, r.Line, here, "it is not a map of described values in %s", p.versions[side]) ||
		!p.need(place, list.Type == "array" && list.Items != nil && list.Items.Type == "object" && list.Items.AdditionalProperties == nil, r.Line, there, "it is not a list of objects with named fields in %s", p.versions[other]) {
		return
	}
	member, element := child(whole, everyMember), list.Items
	name := child(element, r.Key)
	if !p.need(place, name != nil && name.Type == "string" && !isEvery(r.Key), r.Line, there.join(everyElement, r.Key), "it is not a text in %s", p.versions[other]) {
		return
	}
	for _, s := range []*schema.Structural{whole, member, element} {
		p.need(unknown, !s.XPreserveUnknownFields && !s.XEmbeddedResource, r.Line, here, "a version keeps fields that the schema does not name")
	}
	p.need(null, !member.Nullable && !element.Nullable && !name.Nullable, r.Line, here, "a value, an element or a key can be null")
	p.need(defaults, whole.Default.Object == nil && list.Default.Object == nil && element.Default.Object == nil && member.Default.Object == nil && name.Default.Object == nil, r.Line, here, "a version sets a default")
	if !requires(element, r.Key) || !uniqueBy(list, r.Key) {
		p.accepted(r.Line, other, p.roots[other].join(r.at[other]...).join(everyElement), "a list with a key twice, or without one,")
	}
	p.keep(other, r.at, r.Line, longest(list, 0), reason{value: true})
	if r.Value == "" {
		p.entries(here, r, ordered(side, member, element))
		return
	}
	value := child(element, r.Value)
	if !p.need(place, value != nil && len(element.Properties) == 2 && !isEvery(r.Value), r.Line, there.join(everyElement), "in %s the elements have other fields than %s and %s", p.versions[other], r.Key, r.Value) {
		return
	}
	p.need(known, !r.Optional, r.Line, there, "there is no lemma for elements without the value")
	p.need(null, !value.Nullable, r.Line, there.join(everyElement, r.Value), "it can be null in %s", p.versions[other])
	p.need(defaults, value.Default.Object == nil, r.Line, there.join(everyElement, r.Value), "%s sets a default", p.versions[other])
	if !requires(element, r.Value) {
		p.accepted(r.Line, other, p.roots[other].join(r.at[other]...).join(everyElement), "an element without "+r.Value)
	}
	p.same(ordered(side, member, value), [2]bool{}, r.Line, here.join(everyMember))
}

// entries decides about the objects of a map that are elements with a key more: their other fields are
// the same.
func (p listLemmas) entries(at path, r placed, s sides) {
	member, element := s[r.Side], s[1-r.Side]
	p.need(place, member.Type == "object" && member.AdditionalProperties == nil && child(member, r.Key) == nil, r.Line, at, "in %s its values are not objects with named fields, or have a field %s", p.versions[r.Side], r.Key)
	without := *element
	without.Properties = map[string]schema.Structural{}
	for name, property := range element.Properties {
		if name != r.Key {
			without.Properties[name] = property
		}
	}
	p.same(ordered(r.Side, member, &without), [2]bool{}, r.Line, at.join(everyMember))
}

// uniqueBy reports whether the API server accepts each key once in a list.
func uniqueBy(list *schema.Structural, key string) bool {
	return list.XListType != nil && *list.XListType == "map" && slices.Equal(list.XListMapKeys, []string{key})
}

// skip decides about a list of which the converter omits elements. It keeps the whole list if an
// element goes, or if one would go on the way back, so it does not matter which elements those are; of
// other lists, the rules for the elements decide.
func (p listLemmas) skip(at path, r placed, fields sides) {
	for side, f := range fields {
		whole, other := p.roots[side].join(r.at[side]...), 1-side
		if !p.need(place, f.Type == "array" && f.Items != nil, r.Line, at.join(r.at[side]...), "it is not a list in %s", p.versions[side]) {
			return
		}
		if side == r.Side {
			for _, t := range r.Where {
				p.late.looks(side, look{line: r.Line, at: whole.join(everyElement).join(t.Path...)})
			}
		} else if r.fills() {
			continue // no element that comes from this version goes on the way back
		}
		p.keep(side, r.at, r.Line, longest(f, 0), reason{value: true})
		p.limit(edited, r.Line, whole, "an edit of %s in %s drops the elements that are kept for %s", p.roots[other].join(r.at[other]...), p.versions[other], p.versions[side])
	}
	fields[r.Side] = withMember(fields[r.Side], r)
	p.moved(at, r, fields)
}

// without returns the member without which a rule skips elements; "" if it has another condition.
func (r placed) without() string {
	if len(r.Where) != 1 || r.Where[0].Values != nil || !r.Where[0].Not || len(r.Where[0].Path) != 1 {
		return ""
	}
	return r.Where[0].Path[0]
}

// fills reports whether each converted element has the member without which the rule skips elements.
func (r placed) fills() bool {
	return slices.ContainsFunc(r.Inner, func(n rules.Statement) bool {
		return n.Verb == "nest" && !n.Conditional && n.Side != r.Side && len(n.Paths[0]) == 0 && len(n.Paths[1]) == 0 && n.Key == r.without()
	})
}

// withMember returns the schema of a list of which the elements without a certain member are skipped:
// the others have it.
func withMember(list *schema.Structural, r placed) *schema.Structural {
	if r.without() == "" {
		return list
	}
	copied, element, validation := *list, *list.Items, schema.ValueValidation{}
	if element.ValueValidation != nil {
		validation = *element.ValueValidation
	}
	validation.Required = append(slices.Clone(validation.Required), r.without())
	element.ValueValidation, copied.Items = &validation, &element
	return &copied
}

// renameKeys decides about a map whose keys have other names in the other version. Each key has one
// name there. The annotation keeps a map with a key that is a name of the other version already.
func (p listLemmas) renameKeys(at path, r placed, fields sides) {
	for side, f := range fields {
		whole, other := at.join(r.at[side]...), 1-side
		if !p.need(place, f.Type == "object" && len(f.Properties) == 0 && f.AdditionalProperties != nil, r.Line, whole, "it is not a map in %s", p.versions[side]) {
			return
		}
		p.need(unknown, !f.XPreserveUnknownFields && !f.XEmbeddedResource, r.Line, whole, "in %s it keeps fields that the schema does not name", p.versions[side])
		p.need(defaults, f.Default.Object == nil, r.Line, whole, "%s sets a default", p.versions[side])
		p.accepted(r.Line, side, p.roots[side].join(r.at[side]...).join(everyMember), "a map with two keys that have one name in the other version")
		p.keep(side, r.at, r.Line, longest(f, 0), reason{value: true})
		p.limit(edited, r.Line, p.roots[side].join(r.at[side]...), "an edit of %s in %s drops the names of its keys that are kept for %s", p.roots[other].join(r.at[other]...), p.versions[other], p.versions[side])
	}
	p.same(fields, [2]bool{}, r.Line, at.join(r.at[0]...))
}

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
	for name, property := range fields[1-r.Side].Properties {
		if name != r.Key {
			p.late.sets(1-r.Side, p.roots[1-r.Side].join(r.at[1-r.Side]...).join(name), &property)
		}
	}
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
				if rest[0] == n.Key { // the object around it is the value in the other version
					all[j].at[n.Side] = n.at[n.Side].join(rest[1:]...)
				}
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
