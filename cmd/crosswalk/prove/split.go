package prove

import (
	"fmt"
	"strings"
)

// splitObject decides about a text in one version whose parts are the members of an object of their
// own in the other one. The object is there if the text is, an absent part is a certain text, and
// the annotation keeps whatever the other side does not say.
func (p *prover) splitObject(at path, r placed, fields sides) {
	side, other := r.Side, 1-r.Side
	text, object := fields[side], fields[other]
	here, there := at.join(r.at[side]...), at.join(r.at[other]...)
	p.need(known, r.Cut != "" && (r.At == "" || len(r.Cut) == 1), r.Line, here, "the separator has several characters, which parts may have at their ends")
	p.need(place, text.Type == "string", r.Line, here, "it is not a text in %s", p.versions[side])
	if !p.need(place, object.Type == "object" && object.AdditionalProperties == nil, r.Line, there, "it is not an object with named fields in %s", p.versions[other]) {
		return
	}
	p.need(unknown, !object.XPreserveUnknownFields && !object.XEmbeddedResource, r.Line, there, "in %s it keeps fields that the schema does not name", p.versions[other])
	p.need(defaults, text.Default.Object == nil && object.Default.Object == nil && !setsDefaults(object, object, 0), r.Line, there, "a version sets a default")
	p.accepted(r.Line, side, p.roots[side].join(r.at[side]...), "a text with another number of parts")
	for _, part := range r.Parts {
		name := part[len(part)-1]
		member := child(object, name)
		if p.need(place, member != nil && member.Type == "string" && name != everyElement && name != everyMember, r.Line, there.join(name), "it is not a text in %s", p.versions[other]) {
			p.need(null, !member.Nullable, r.Line, there.join(name), "it can be null in %s", p.versions[other])
			p.accepted(r.Line, other, p.roots[other].join(r.at[other]...).join(name), "a part that does not come back from the text")
		}
	}
	p.keep(side, r.at, r.Line, longest(text, 0), reason{value: true})
	p.keep(other, r.at, r.Line, longest(object, 0), reason{value: true})
}

// accepted decides about values of a version that the rule refuses: the file accepts the refusal, and
// the proof states it.
func (p *prover) accepted(line, side int, at path, values string) {
	p.need(direct, !p.twins, line, at, "%s is refused also in a version with the same schema, and lossy accepts it for one", values)
	for _, a := range p.losses {
		if a.From == p.versions[side] && a.To == p.versions[1-side] && covers(a.Path, at.String()) {
			text := fmt.Sprintf("%s is refused in %s, as lossy accepts at line %d", values, p.versions[1-side], a.Line)
			p.limitOf(Limit{Limit: refused, Line: line, Path: at.String(), Text: text, accepts: a})
			return
		}
	}
	p.need(accepted, false, line, at, "%s is refused in %s: accept it in lossy, from %s to %s", values, p.versions[1-side], p.versions[side], p.versions[1-side])
}

// covers reports whether the path of an accepted loss is a path, or ends with .* and leads to it.
func covers(accepted, at string) bool {
	above, below := strings.CutSuffix(accepted, ".*")
	return accepted == at || below && (strings.HasPrefix(at, above+".") || strings.HasPrefix(at, above+"["))
}
