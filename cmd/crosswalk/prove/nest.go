package prove

import (
	"maps"
	"slices"
)

// wrap decides about a value that is the only element of a list in the other version.
func (p lemma) wrap(r placed, fields sides) {
	value, list := fields[r.Side], fields[1-r.Side]
	whole, version := r.where(1-r.Side), p.versions[1-r.Side]
	p.need(known, r.Type == "" || r.Type == value.Type, r.Line, whole, "the rule demands the type %s", r.Type)
	if !p.need(place, list.Type == "array" && list.Items != nil, r.Line, whole, "it is not a list in %s", version) {
		return
	}
	v := list.ValueValidation
	some := v != nil && v.MinItems != nil && *v.MinItems > 0
	p.need(outside, some || !isEvery(r.at[1-r.Side].Last()), r.Line, whole, "an empty list among the elements is omitted in %s, and the others get other places: require an element", p.versions[r.Side])
	switch {
	case r.Annotated != "": // it keeps the other elements, but no empty list
		p.need(partner, some, r.Line, whole, "%s allows an empty list, which the annotation does not keep: require an element", version)
		p.annotated(r, 1-r.Side, longest(list, 0))
	case !some || v.MaxItems == nil || *v.MaxItems > 1:
		p.keep(1-r.Side, r.origin(), longest(list, 0), reason{value: some})
	}
	p.need(null, !nullable(list.Items, path{everyElement}), r.Line, whole.Join(everyElement), "it can be null in %s", version)
	p.need(defaults, value.Default.Object == nil && list.Default.Object == nil && list.Items.Default.Object == nil, r.Line, whole, "a version sets a default")
	p.same(ordered(r.Side, value, list.Items), [2]bool{}, r.Line, r.where(r.Side))
}

// nest decides about a value that is a member of an object in the other version. Fields of the object
// that other rules drop are gone when the value leaves it, and come back when it is in it again.
func (p lemma) nest(r placed, fields sides) {
	value, object := fields[r.Side], without(fields[1-r.Side], r.dropped)
	whole, version := r.where(1-r.Side), p.versions[1-r.Side]
	p.need(known, r.Type == "" || r.Type == value.Type, r.Line, whole, "the rule demands the type %s", r.Type)
	p.need(unknown, !object.XPreserveUnknownFields && !object.XEmbeddedResource, r.Line, whole, "in %s it keeps fields that the schema does not name", version)
	member := child(object, r.Key)
	if !p.need(place, member != nil && object.AdditionalProperties == nil && !isEvery(r.Key), r.Line, whole, "the schema of %s does not name %s", version, r.Key) {
		return
	}
	required := requires(object, r.Key)
	if element := r.at[1-r.Side]; !required && (len(element) == 0 || isEvery(element[len(element)-1])) { // an element cannot become nothing
		p.accepted(r.Line, 1-r.Side, r.whole(1-r.Side), "an object without "+r.Key)
	}
	p.need(one, len(r.dropped) == 0 || len(object.Properties) == 1 && required, r.Line, whole, "rules drop fields of the object, and the annotation may keep the rest of it, too: drop all of its fields but %s, which has to be required", r.Key)
	for _, name := range slices.Sorted(maps.Keys(object.Properties)) {
		if property := object.Properties[name]; name != r.Key {
			p.lacks(1-r.Side, r.Line, r.whole(1-r.Side).Join(name), &property)
		}
	}
	if len(object.Properties) != 1 || !required {
		p.keep(1-r.Side, r.origin(), longest(object, 0), reason{value: required})
	}
	p.need(null, !member.Nullable, r.Line, whole.Join(r.Key), "it can be null in %s", version)
	p.need(defaults, value.Default.Object == nil && object.Default.Object == nil && member.Default.Object == nil, r.Line, whole, "a version sets a default")
	p.same(ordered(r.Side, value, member), [2]bool{}, r.Line, r.where(r.Side))
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
			within := d.Verb == "drop" && d.Side == 1-n.Side && d.at[d.Side].Common(object) == len(object) && len(d.at[d.Side]) > len(object)
			if rest := d.at[d.Side][min(len(object), len(d.at[d.Side])):]; n.Verb == "nest" && within && !(len(rest) == 1 && rest[0] == n.Key) && !slices.ContainsFunc(rest, isEvery) {
				n.dropped, inner[j] = append(n.dropped, rest), true
				if rest[0] == n.Key { // the object around it is the value in the other version
					all[j].at[n.Side] = n.at[n.Side].Join(rest[1:]...)
				}
			}
		}
	}
	return inner
}
