package prove

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// splitObject decides about a text in one version whose parts are the members of an object of their
// own in the other one. The object is there if the text is, an absent part is a certain text, and
// the annotation keeps whatever the other side does not say.
func (p lemma) splitObject(r placed, fields sides) {
	side, other := r.Side, 1-r.Side
	text, object := fields[side], fields[other]
	here, there := r.where(side), r.where(other)
	p.need(known, r.Cut != "" && (r.At == "" || len(r.Cut) == 1), r.Line, here, "the separator has several characters, which parts may have at their ends")
	p.need(place, text.Type == "string", r.Line, here, "it is not a text in %s", p.versions[side])
	if !p.need(place, object.Type == "object" && object.AdditionalProperties == nil, r.Line, there, "it is not an object with named fields in %s", p.versions[other]) {
		return
	}
	p.need(unknown, !object.XPreserveUnknownFields && !object.XEmbeddedResource, r.Line, there, "in %s it keeps fields that the schema does not name", p.versions[other])
	p.need(defaults, text.Default.Object == nil && object.Default.Object == nil && !setsDefaults(object, object, 0), r.Line, there, "a version sets a default")
	p.unfit(r, side, r.at[side], longest(text, 0), "a text with another number of parts")
	for _, part := range r.Parts {
		name := part[len(part)-1]
		member := child(object, name)
		if p.need(place, member != nil && member.Type == "string" && name != everyElement && name != everyMember, r.Line, there.join(name), "it is not a text in %s", p.versions[other]) {
			p.need(null, !member.Nullable, r.Line, there.join(name), "it can be null in %s", p.versions[other])
			p.unfit(r, other, r.at[other].join(name), longest(object, 0), "a part that does not come back from the text")
		}
	}
	p.keep(side, r.origin(), longest(text, 0), reason{value: true})
	p.keep(other, r.origin(), longest(object, 0), reason{value: true})
}

// splitFields decides about a text in one version whose parts are fields beside it in the other one.
// A text with as many parts as the rule comes back from them, and the parts come back from the text.
// The annotation keeps the parts of an object that does not have all.
func (p lemma) splitFields(g region, r placed) {
	side, other := r.Side, 1-r.Side
	here := r.where(side)
	p.need(known, len(r.Cut) == 1, r.Line, here, "there is no lemma for words, for a host and a port, and for a separator of several characters")
	text := lookup(g.sides[side], r.at[side])
	if !p.need(place, text != nil && text.Type == "string" && !g.isMetadata(r.at[side]), r.Line, here, "it is not a text in %s", p.versions[side]) {
		return
	}
	p.need(null, !text.Nullable, r.Line, here, "it can be null in %s", p.versions[side])
	p.need(defaults, text.Default.Object == nil, r.Line, here, "%s sets a default", p.versions[side])
	p.unfit(r, side, r.at[side], longest(text, 0), "a text with another number of parts")
	for _, part := range r.fields(other) {
		there, f := g.here(part), lookup(g.sides[other], part)
		p.need(known, slices.Equal(part.parent(), r.at[side].parent()), r.Line, there, "there is no lemma for parts in other objects than the text")
		p.need(known, !slices.Equal(part, r.at[side]), r.Line, there, "there is no lemma for a part with the name of the text")
		if !p.need(place, f != nil && f.Type == "string", r.Line, there, "it is not a text in %s", p.versions[other]) {
			continue
		}
		p.need(null, !f.Nullable, r.Line, there, "it can be null in %s", p.versions[other])
		p.need(defaults, f.Default.Object == nil, r.Line, there, "%s sets a default", p.versions[other])
		if !r.unsplit(f) {
			p.unfit(r, other, part, longest(f, 0), "a part that does not come back from the text")
		}
		places := [2]path{part, part}
		places[side] = r.at[side]
		p.keep(other, r.origin().of(places), longest(f, 0), reason{})
	}
}

// unsplit reports whether no text that a schema allows contains the separator.
func (r placed) unsplit(f *schema.Structural) bool {
	values, all := valuesOf(f)
	return all && !slices.ContainsFunc(values, func(v any) bool { return slices.Contains([]byte(v.(string)), r.Cut[0]) })
}
