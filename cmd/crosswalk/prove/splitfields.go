package prove

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// splitFields decides about a text in one version whose parts are fields beside it in the other one.
// A text with as many parts as the rule comes back from them, and the parts come back from the text.
// The annotation keeps the parts of an object that does not have all.
func (p *prover) splitFields(s sides, at path, r placed) {
	side, other := r.Side, 1-r.Side
	here := at.join(r.at[side]...)
	p.need(known, len(r.Cut) == 1, r.Line, here, "there is no lemma for words, for a host and a port, and for a separator of several characters")
	text := lookup(s[side], r.at[side])
	if !p.need(place, text != nil && text.Type == "string" && !isMetadata(at, r.at[side]), r.Line, here, "it is not a text in %s", p.versions[side]) {
		return
	}
	p.need(null, !text.Nullable, r.Line, here, "it can be null in %s", p.versions[side])
	p.need(defaults, text.Default.Object == nil, r.Line, here, "%s sets a default", p.versions[side])
	p.accepted(r.Line, side, p.roots[side].join(r.at[side]...), "a text with another number of parts")
	for _, part := range r.fields(other) {
		there, f := at.join(part...), lookup(s[other], part)
		p.need(known, slices.Equal(part.parent(), r.at[side].parent()), r.Line, there, "there is no lemma for parts in other objects than the text")
		p.need(known, !slices.Equal(part, r.at[side]), r.Line, there, "there is no lemma for a part with the name of the text")
		if !p.need(place, f != nil && f.Type == "string", r.Line, there, "it is not a text in %s", p.versions[other]) {
			continue
		}
		p.need(null, !f.Nullable, r.Line, there, "it can be null in %s", p.versions[other])
		p.need(defaults, f.Default.Object == nil, r.Line, there, "%s sets a default", p.versions[other])
		if !r.whole(f) {
			p.accepted(r.Line, other, p.roots[other].join(part...), "a part that does not come back from the text")
		}
		places := [2]path{part, part}
		places[side] = r.at[side]
		p.keep(other, places, r.Line, longest(f, 0), reason{})
	}
}

// whole reports whether no text that a schema allows contains the separator.
func (r placed) whole(f *schema.Structural) bool {
	values, all := valuesOf(f)
	return all && !slices.ContainsFunc(values, func(v any) bool { return slices.Contains([]byte(v.(string)), r.Cut[0]) })
}
