package propose

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose/values"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// maxCompared is the number of fields that vanished or appeared whose names are compared: a version
// that differs in more is another kind.
const maxCompared = 1_000

// Rules returns rules for the differences between the schemas of neighbouring versions, to verify
// and to complete. Schemas do not say which fields mean the same. A rule that cannot be right for
// all objects of the schemas is off. Rules that the observed objects support come first; nil: none are
// given.
func Rules(crd *schema.CRD, versions []string, given *values.Observed) *Proposal {
	all := &Proposal{Kind: crd.Kind, Group: crd.Group}
	sets := make([]*fieldSet, len(versions))
	for i, version := range versions {
		var more int
		if sets[i], more = fieldsOf(crd, version); more > 0 {
			all.Unseen = append(all.Unseen, fmt.Sprintf("%d of %s", more, version))
		}
	}
	for i := 0; i+1 < len(versions); i++ {
		p := &proposal{Pair: &Pair{From: versions[i], To: versions[i+1]}, a: sets[i], b: sets[i+1]}
		p.inference = &inference{proposal: p, taken: [2]map[string]bool{{}, {}}}
		p.inference.compared, p.Ignored = given.Between(p.From, p.To)
		p.Observed = len(p.inference.compared.Objects)
		p.write()
		p.Seen = p.inference.seen
		all.Pairs = append(all.Pairs, p.Pair)
	}
	return all
}

// proposal makes the rules between two versions.
type proposal struct {
	*Pair
	a, b *fieldSet // of the versions

	inference *inference
}

// rule adds a rule and the reason for it. Its paths are those in both versions; "" in a version
// that does not have the field.
func (p *proposal) rule(paths [2]string, comment, format string, args ...any) *Rule {
	r := &Rule{Paths: paths, Reason: comment, Text: fmt.Sprintf(format, args...)}
	p.Rules = append(p.Rules, r)
	return r
}

// guess adds a rule that the fields may not keep. Without it, they are dropped.
func (p *proposal) guess(f, g schema.Field, comment, format string, args ...any) *Rule {
	r := p.rule([2]string{f.Path, g.Path}, comment, format, args...)
	r.instead = []*Rule{p.dropped(f, 0), p.dropped(g, 1)}
	return r
}

// dropped returns the rule that keeps a field of a side in the stash.
func (p *proposal) dropped(f schema.Field, side int) *Rule {
	in := [2]string{p.From, p.To}[side]
	r := &Rule{Reason: fmt.Sprintf("%s (%s) is in %s only", f.Path, f.Type, in), Text: fmt.Sprintf("drop: %s, in: %s", quoted(f.Path), in)}
	r.Paths[side] = f.Path
	return r
}

func (p *proposal) write() {
	gone, new, changed := differences(p.a, p.b)
	gone, new, changed = p.inference.infer(gone, new, changed)
	for _, f := range changed {
		p.changed(f, *p.b.find(f.Path))
	}
	for _, f := range p.a.list {
		if g := p.b.find(f.Path); g != nil && !p.inference.taken[0][f.Path] {
			if table := translation(f.Enum, g.Enum); table != "" {
				// Without it the field has the same path in both versions, and needs no rule.
				r := p.rule([2]string{f.Path, f.Path}, fmt.Sprintf("the values of %s are spelt in another way in %s", f.Path, p.To), "translate: %s, values: %s", quoted(f.Path), table)
				r.instead = []*Rule{}
				p.inference.check(r, f, *g)
			} else if here, there := without(f.Enum, g.Enum), without(g.Enum, f.Enum); len(f.Enum) > 0 && len(g.Enum) > 0 && here+there != "" {
				p.inference.remark("the enums of %s differ: %s alone has %s, and %s alone %s. If some mean the same, a rule translate says so", f.Path, p.From, cmp.Or(here, "none"), p.To, cmp.Or(there, "none"))
			}
		}
	}
	gone, new = p.corresponding(gone, new)
	gone, new = p.divided(gone, new)
	new = p.inference.constants(gone, new)
	for _, f := range gone {
		p.Rules = append(p.Rules, p.dropped(f, 0))
	}
	for _, f := range new {
		p.Rules = append(p.Rules, p.dropped(f, 1))
	}
}

// shared returns the objects around a moved field that both versions have.
func (p *proposal) shared(a, b fieldpath.Path) (objects []string) {
	for _, one := range []fieldpath.Path{a, b} {
		for n := max(a.Common(b), 1) + 1; n < len(one); n++ {
			if object := one[:n].String(); p.a.find(object) != nil && p.b.find(object) != nil {
				objects = append(objects, quoted(object))
			}
		}
	}
	return objects
}

// changed writes a rule for a field that has another type in the newer version.
func (p *proposal) changed(f, g schema.Field) {
	comment := fmt.Sprintf("%s is %s in %s and %s in %s", f.Path, f.Type, p.From, g.Type, p.To)
	types := map[string]string{"a string": "string", "an integer": "integer", "a number": "number", "a boolean": "boolean"}
	const either = "an integer or a string"
	element := func(fields *fieldSet, name string) bool {
		return fields.find(f.Path+fieldpath.Elements+"."+name) != nil
	}
	var r *Rule
	splits, joins := schedule(p.b, f.Path), schedule(p.a, f.Path)
	nests, unnests := onlyText(p.b, f.Path), onlyText(p.a, f.Path)
	switch s, t := types[f.Type], types[g.Type]; {
	case p.nested(f, p.a, p.b, "nest", p.To):
	case p.nested(f, p.b, p.a, "unnest", p.From):
	case f.Type == either && t == "integer":
		r = p.guess(f, g, comment, "convert: %s, as: [intOrString, integer], unfit: stash", quoted(f.Path))
	case s == "integer" && g.Type == either:
		r = p.guess(f, g, comment, "convert: %s, as: [integer, intOrString], unfit: stash", quoted(f.Path))
	case p.listing(f, g) != "":
		r = p.guess(f, g, comment, "%s: %s, type: string", p.listing(f, g), quoted(f.Path))
	case s == "string" && splits != "":
		r = p.guess(f, g, comment, "split: %s, to: %s", quoted(f.Path), splits)
	case t == "string" && joins != "":
		r = p.guess(f, g, comment, "join: %s", strings.Replace(joins, "], ", "], to: "+quoted(f.Path)+", ", 1))
	case s == "string" && nests != "":
		r = p.guess(f, g, comment, "nest: %s, key: %s, type: string", quoted(f.Path), nests)
		p.others(r, p.b, f.Path, nests, 1)
	case t == "string" && unnests != "":
		r = p.guess(f, g, comment, "unnest: %s, key: %s, type: string", quoted(f.Path), unnests)
		p.others(r, p.a, f.Path, unnests, 0)
	case s == "string" && t != "" && t != "string" || t == "string" && s != "" && s != "string":
		r = p.guess(f, g, comment, "convert: %s, as: [%s, %s], unfit: stash", quoted(f.Path), s, t)
	case p.a.find(f.Path+"."+fieldpath.Members) != nil && element(p.b, "name"):
		r = p.guess(f, g, comment, "listFromMap: %s, key: name%s, unfit: stash", quoted(f.Path), p.valueMember(p.a, p.b, f.Path))
	case p.b.find(f.Path+"."+fieldpath.Members) != nil && element(p.a, "name"):
		r = p.guess(f, g, comment, "mapFromList: %s, key: name%s, unfit: stash", quoted(f.Path), p.valueMember(p.b, p.a, f.Path))
	default:
		drop := p.dropped(f, 0)
		drop.Reason = comment + ": write a rule that converts it instead of these two"
		back := p.dropped(f, 1)
		back.Reason = "and back"
		p.Rules = append(p.Rules, drop, back)
	}
	if r != nil && (strings.HasPrefix(r.Text, "convert") || p.listing(f, g) != "") {
		p.inference.check(r, f, g)
	} else if len(p.inference.compared.Objects) > 0 {
		p.Ignored = append(p.Ignored, "the values of "+f.Path+", which has another form in each version")
	}
	if r != nil {
		r.instead[0].Reason, r.instead[1].Reason = "without that rule, both versions keep their own "+f.Path, "and back"
	}
}

// onlyText returns the name of the only text of an object; "" if it has none or several, or other objects.
func onlyText(set *fieldSet, object string) (name string) {
	for rest, f := range set.below(object) {
		switch {
		case strings.ContainsAny(rest[1:], ".[*") || f.Type == "a string" && name != "":
			return ""
		case f.Type == "a string":
			name = rest[1:]
		}
	}
	return name
}

// nested writes rules for a list of strings that is a list of objects with a name in the other
// version; false if it is something else.
func (p *proposal) nested(f schema.Field, scalars, objects *fieldSet, verb, in string) bool {
	element, name := scalars.find(f.Path+fieldpath.Elements), objects.find(f.Path+fieldpath.Elements+".name")
	if element == nil || name == nil || element.Type != "a string" || name.Type != "a string" {
		return false
	}
	r := p.guess(f, f, fmt.Sprintf("the elements of %s are strings in one version and objects in %s", f.Path, in), "%s: %s, key: name, type: string", verb, quoted(f.Path+fieldpath.Elements))
	side := 0
	if in == p.To {
		side = 1
	}
	p.others(r, objects, f.Path+fieldpath.Elements, "name", side)
	return true
}

// others completes a rule about one member of an object: the others are dropped.
func (p *proposal) others(r *Rule, set *fieldSet, object, but string, side int) {
	for rest, other := range set.below(object) {
		if member, ok := strings.CutPrefix(rest, "."); ok && member != but && !strings.ContainsAny(member, ".[*") {
			r.with = append(r.with, p.dropped(other, side))
		}
	}
}

// valueMember returns the member value of a rule between a map and a list, if the map's values are
// not objects.
func (p *proposal) valueMember(maps, lists *fieldSet, at string) string {
	if v := maps.find(at + "." + fieldpath.Members); v.Type != "an object" && lists.find(at+fieldpath.Elements+".value") != nil {
		return ", value: value"
	}
	return ""
}

// quoted returns a path as YAML in braces.
func quoted(text string) string {
	if strings.ContainsAny(text, "[]*'\"$") || !strings.Contains(text, ".") { // a single word may be null
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	return text
}
