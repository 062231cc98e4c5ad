package prove

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// languages are regular expressions for texts.
type languages struct {
	text  string   // has as many parts as the rule, which lead back to it
	texts string   // is such a text, or refused
	parts []string // of each part: comes back from the text
}

// Texts in the words of the interpreter.
const (
	word     = `[^\t-\r ]+`
	anyText  = `(?s:.*)`
	noText   = `[^\x00-\x{10FFFF}]`
	noColons = `[^:\[\]]`
)

// languages returns those of a rule split.
func (r placed) languages() languages {
	n := len(r.Parts)
	switch {
	case n < 2:
		return languages{text: noText, texts: noText, parts: slices.Repeat([]string{noText}, n)}
	case r.Words:
		return languages{word + strings.Repeat(" "+word, n-1), "(" + word + "( " + word + ")*)?", slices.Repeat([]string{word}, n)}
	case r.HostPort:
		text := noColons + "+:" + noColons + "*|:" + noColons + `+|\[[^\[\]]*:[^\[\]]*\]:` + noColons + "*"
		return languages{text, "(?s:.+)", []string{`[^\[\]]+`, noColons + "+"}}
	case len(r.Cut) != 1:
		return languages{noText, anyText, slices.Repeat([]string{noText}, n)}
	}
	parts := slices.Repeat([]string{except(r.Cut) + "*"}, n)
	switch r.At {
	case "first":
		parts[n-1] = anyText
	case "last":
		parts[0] = anyText
	}
	return languages{strings.Join(parts, regexp.QuoteMeta(r.Cut)), anyText, parts}
}

// except returns the language of all letters but one.
func except(letter string) string { return fmt.Sprintf(`[^\x%02x]`, letter[0]) }

// splitObject decides about a text in one version whose parts are the members of an object of their
// own in the other one. The object is there if the text is, an absent part is a certain text, and
// the annotation keeps whatever the other side does not say.
func (p lemma) splitObject(r placed, fields sides) {
	side, other := r.Side, 1-r.Side
	text, object := fields[side], fields[other]
	here, there := r.where(side), r.where(other)
	p.need(known, r.Words || r.At == "" || len(r.Cut) == 1, r.Line, here, "the separator has several characters, which parts may have at their ends")
	p.need(place, text.Type == "string", r.Line, here, "it is not a text in %s", p.versions[side])
	if !p.need(place, object.Type == "object" && object.AdditionalProperties == nil, r.Line, there, "it is not an object with named fields in %s", p.versions[other]) {
		return
	}
	p.need(unknown, !object.XPreserveUnknownFields && !object.XEmbeddedResource, r.Line, there, "in %s it keeps fields that the schema does not name", p.versions[other])
	p.need(defaults, text.Default.Object == nil && object.Default.Object == nil && !setsDefaults(object, object, 0), r.Line, there, "a version sets a default")
	said := r.languages()
	if !only(text, said.text) {
		p.unfit(r, side, r.at[side], longest(text, 0), "a text with another number of parts")
	}
	for i, part := range r.Parts {
		name := part[len(part)-1]
		member := child(object, name)
		if p.need(place, member != nil && member.Type == "string" && name != everyElement && name != everyMember, r.Line, there.Join(name), "it is not a text in %s", p.versions[other]) {
			p.need(null, !member.Nullable, r.Line, there.Join(name), "it can be null in %s", p.versions[other])
			if !only(member, said.parts[i]) {
				p.unfit(r, other, r.at[other].Join(name), longest(object, 0), "a part that does not come back from the text")
			}
		}
	}
	p.keep(side, r.origin(), longest(text, 0), reason{value: true})
	p.keep(other, r.origin(), longest(object, 0), reason{value: true})
}

// splitFields decides about a text in one version whose parts are fields beside it in the other one.
// A text with as many parts as the rule comes back from them, and the parts come back from the text.
// The stash or an annotation keeps the parts of an object that does not have all.
func (p lemma) splitFields(g region, r placed) {
	side, other := r.Side, 1-r.Side
	here, said := r.where(side), r.languages()
	p.need(known, r.Words || r.HostPort || len(r.Cut) == 1, r.Line, here, "there is no lemma for a separator of several characters")
	text := lookup(g.sides[side], r.at[side])
	p.typed(text, "string", r.Line, here, p.versions[side], "the rule is about")
	if !p.need(place, text != nil && text.Type == "string" && !g.isMetadata(r.at[side]), r.Line, here, "it is not a text in %s", p.versions[side]) {
		return
	}
	p.need(null, !text.Nullable, r.Line, here, "it can be null in %s", p.versions[side])
	p.need(defaults, text.Default.Object == nil, r.Line, here, "%s sets a default", p.versions[side])
	if !only(text, said.text) {
		p.need(partner, only(text, said.texts), r.Line, here, "%s allows a text that its parts do not lead back to, as one with two spaces or an empty one: give it a pattern without such texts", p.versions[side])
		p.unfit(r, side, r.at[side], longest(text, 0), "a text with another number of parts")
	}
	size := 0
	for i, part := range r.fields(other) {
		there, f := g.here(part), lookup(g.sides[other], part)
		p.need(known, slices.Equal(part.Parent(), r.at[side].Parent()), r.Line, there, "there is no lemma for parts in other objects than the text")
		p.need(known, !slices.Equal(part, r.at[side]), r.Line, there, "there is no lemma for a part with the name of the text")
		if !p.need(place, f != nil && f.Type == "string", r.Line, there, "it is not a text in %s", p.versions[other]) {
			continue
		}
		p.need(null, !f.Nullable, r.Line, there, "it can be null in %s", p.versions[other])
		p.need(defaults, f.Default.Object == nil, r.Line, there, "%s sets a default", p.versions[other])
		if !only(f, said.parts[i]) {
			p.need(partner, !r.HostPort, r.Line, there, "%s allows a text that the other one does not lead back to, as an empty one: give it a pattern without such texts", p.versions[other])
			p.unfit(r, other, part, longest(f, 0), "a part that does not come back from the text")
		}
		switch {
		case r.HostPort && !r.Stashes: // each may be absent
		case r.Annotated != "":
			p.need(partner, only(f, word), r.Line, there, "%s allows a text with white space or without letters, which the annotation does not keep", p.versions[other])
			size += longest(f, 0) + len(part.Last()) + 2
			p.need(known, !strings.ContainsAny(part.Last(), "= \t\n\v\f\r"), r.Line, there, "the annotation does not keep the name")
		default:
			places := [2]path{part, part}
			places[side] = r.at[side]
			p.keep(other, r.origin().of(places), longest(f, 0), reason{})
		}
	}
	if r.Annotated != "" {
		p.annotated(r, other, size)
		p.regained(other, r.whole(side), r.Line, func(path) bool { return false }, false)
	}
}

// annotated decides about values of a version that a rule keeps in an annotation of its own, of at most so
// many bytes. An edit of the rule's field in the other version wins.
func (p lemma) annotated(r placed, side, size int) {
	where := r.where(side)
	p.need(always, !r.Conditional, r.Line, where, "there is no lemma for an annotation and a condition")
	p.need(known, !r.Stashes, r.Line, where, "there is no lemma for an annotation and unfit: stash")
	p.need(kept, strings.HasPrefix(r.Annotated, "conversion."+p.group+"/"), r.Line, where, "users write annotations, but none that begins with conversion.%s/: name it so", p.group)
	if p.inside += size; p.inside >= mostKept {
		p.limit(refused, r.Line, r.whole(side), "an object of %s whose values in the annotation %s need more than %d bytes may be refused", p.versions[side], r.Annotated, mostKept)
	}
}
