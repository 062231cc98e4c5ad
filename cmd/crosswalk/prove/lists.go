package prove

import (
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// splitList decides about a text that is a list of texts in the other version. Every text has a list,
// and a list has a text if no element contains the separator. One character cannot stand partly in an
// element and partly in the separator, so the list comes back.
func (p lemma) splitList(r placed, fields sides) {
	text, list := fields[r.Side], fields[1-r.Side]
	here, there := r.where(r.Side), r.where(1-r.Side)
	p.need(known, len(r.Cut) == 1, r.Line, here, "the separator has several characters, which elements may have at their ends")
	p.need(place, text.Type == "string", r.Line, here, "it is not a text in %s", p.versions[r.Side])
	if !p.need(place, list.Type == "array" && list.Items != nil && list.Items.Type == "string", r.Line, there, "it is not a list of texts in %s", p.versions[1-r.Side]) {
		return
	}
	p.need(null, !list.Items.Nullable, r.Line, there.Join(everyElement), "it can be null in %s", p.versions[1-r.Side])
	p.need(defaults, text.Default.Object == nil && list.Default.Object == nil && list.Items.Default.Object == nil, r.Line, there, "a version sets a default")
	if len(r.Cut) == 1 && !only(list.Items, except(r.Cut)+"+") {
		p.unfit(r, 1-r.Side, r.at[1-r.Side].Join(everyElement), longest(list, 0), "an element with the separator, or one empty element,")
	}
}

// listFromMap decides about a map that is a list of objects with a key in the other version. A key of
// a map is there once, so the map comes back from the list. The list comes back from the map in the
// order of the keys, and the annotation keeps a list that has another order, as it is before the rules for
// its elements. For these, listFromMap returns the schemas of an element and of a value with its key.
func (p lemma) listFromMap(r placed, fields sides) (elements sides, ok bool) {
	side, other := r.Side, 1-r.Side
	whole, list := fields[side], fields[other]
	here, there := r.where(side), r.where(other)
	if !p.need(place, whole.Type == "object" && len(whole.Properties) == 0 && child(whole, everyMember) != nil, r.Line, here, "it is not a map of described values in %s", p.versions[side]) ||
		!p.need(place, list.Type == "array" && list.Items != nil && list.Items.Type == "object" && list.Items.AdditionalProperties == nil, r.Line, there, "it is not a list of objects with named fields in %s", p.versions[other]) {
		return elements, false
	}
	member, element := child(whole, everyMember), list.Items
	name := child(element, r.Key)
	if !p.need(place, name != nil && name.Type == "string" && !isEvery(r.Key), r.Line, there.Join(everyElement, r.Key), "it is not a text in %s", p.versions[other]) {
		return elements, false
	}
	for _, s := range []*schema.Structural{whole, member, element} {
		p.need(unknown, !s.XPreserveUnknownFields && !s.XEmbeddedResource, r.Line, here, "a version keeps fields that the schema does not name")
	}
	p.need(null, !member.Nullable && !element.Nullable && !name.Nullable, r.Line, here, "a value, an element or a key can be null")
	p.need(defaults, whole.Default.Object == nil && list.Default.Object == nil && element.Default.Object == nil && member.Default.Object == nil && name.Default.Object == nil, r.Line, here, "a version sets a default")
	if !requires(element, r.Key) || !uniqueBy(list, r.Key) {
		p.unfit(r, other, r.at[other].Join(everyElement), longest(list, 0), "a list with a key twice, or without one,")
	}
	p.keep(other, r.origin(), longest(list, 0), reason{value: true})
	if r.Value == "" {
		p.need(place, member.Type == "object" && member.AdditionalProperties == nil && child(member, r.Key) == nil, r.Line, here, "in %s its values are not objects with named fields, or have a field %s", p.versions[side], r.Key)
		p.need(known, len(r.Inner) == 0 || !r.Stashes, r.Line, here, "there is no lemma for rules for the elements and unfit: stash")
		for _, q := range expand(r.Inner, nil) {
			ofKey := func(at path) bool { return len(at) == 0 || at[0] == r.Key }
			if !p.need(one, !slices.ContainsFunc(slices.Concat(q.fields(0), q.fields(1)), ofKey), q.Line, there, "a rule for the elements is about their key") {
				return elements, false
			}
			p.need(known, !q.relocates(), q.Line, there, "there is no lemma for a rule that moves a field of elements that are members of a map")
		}
		keyed := *member
		keyed.Properties = map[string]schema.Structural{r.Key: *name}
		maps.Copy(keyed.Properties, member.Properties)
		return ordered(side, &keyed, element), true
	}
	p.need(known, len(r.Inner) == 0, r.Line, here, "there is no lemma for rules for elements with a value")
	value := child(element, r.Value)
	if !p.need(place, value != nil && len(element.Properties) == 2 && !isEvery(r.Value), r.Line, there.Join(everyElement), "in %s the elements have other fields than %s and %s", p.versions[other], r.Key, r.Value) {
		return elements, false
	}
	p.need(known, !r.Optional || requires(element, r.Value), r.Line, there, "there is no lemma for elements without the value")
	p.need(null, !value.Nullable, r.Line, there.Join(everyElement, r.Value), "it can be null in %s", p.versions[other])
	p.need(defaults, value.Default.Object == nil, r.Line, there.Join(everyElement, r.Value), "%s sets a default", p.versions[other])
	if !requires(element, r.Value) {
		p.unfit(r, other, r.at[other].Join(everyElement), longest(list, 0), "an element without "+r.Value)
	}
	p.same(ordered(side, member, value), [2]bool{}, r.Line, here.Join(everyMember))
	return elements, false
}

// uniqueBy reports whether the API server accepts each key once in a list.
func uniqueBy(list *schema.Structural, key string) bool {
	return list.XListType != nil && *list.XListType == "map" && slices.Equal(list.XListMapKeys, []string{key})
}

// renameKeys decides about a map whose keys have other names in the other version. Each key has one
// name there. The annotation keeps a map with a key that is a name of the other version already.
func (p lemma) renameKeys(r placed, fields sides) {
	for side, f := range fields {
		whole, other := r.where(side), 1-side
		if !p.need(place, f.Type == "object" && len(f.Properties) == 0 && f.AdditionalProperties != nil, r.Line, whole, "it is not a map in %s", p.versions[side]) {
			return
		}
		p.need(unknown, !f.XPreserveUnknownFields && !f.XEmbeddedResource, r.Line, whole, "in %s it keeps fields that the schema does not name", p.versions[side])
		p.need(defaults, f.Default.Object == nil, r.Line, whole, "%s sets a default", p.versions[side])
		p.accepted(r.Line, side, r.whole(side).Join(everyMember), "a map with two keys that have one name in the other version")
		p.keep(side, r.origin(), longest(f, 0), reason{value: true})
		p.limit(edited, r.Line, r.whole(side), "an edit of %s in %s drops the names of its keys that are kept for %s", r.whole(other), p.versions[other], p.versions[side])
	}
	p.same(fields, [2]bool{}, r.Line, r.where(0))
}
