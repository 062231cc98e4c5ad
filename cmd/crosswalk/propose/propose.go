package propose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

const (
	// proposeDepth is the number of levels of the schemas to compare: twice the deepest known ones.
	proposeDepth = 32
	// proposeFields is the number of fields of a version to compare: the largest known definition,
	// AlertmanagerConfig, has 9,000.
	proposeFields = 20_000
	// maxCompared is the number of fields that vanished or appeared whose names are compared: a version
	// that differs in more is another kind.
	maxCompared = 1_000
)

// Rules returns rules for the differences between the schemas of neighbouring versions, to verify
// and to complete. Schemas do not say which fields mean the same. A rule that cannot be right for
// all objects of the schemas is off.
func Rules(crd *schema.CRD, versions []string) *Proposal {
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
		p.write()
		all.Pairs = append(all.Pairs, p.Pair)
	}
	return all
}

// fieldSet is the fields of a version, by path without the leading dot.
type fieldSet struct {
	list []schema.Field
	at   map[string]int
}

func (s *fieldSet) find(path string) *schema.Field {
	if i, ok := s.at[path]; ok {
		return &s.list[i]
	}
	return nil
}

// below returns the fields within another one, by their paths from there.
func (s *fieldSet) below(path string) map[string]schema.Field {
	found := map[string]schema.Field{}
	for i := s.at[path] + 1; i > 0 && i < len(s.list); i++ { // a field comes before those in it
		rest, ok := strings.CutPrefix(s.list[i].Path, path)
		if !ok || rest[0] != '.' && rest[0] != '[' {
			break
		}
		found[rest] = s.list[i]
	}
	return found
}

// fieldsOf returns the fields of a version, and the number of those that cannot be compared.
func fieldsOf(crd *schema.CRD, version string) (s *fieldSet, more int) {
	s = &fieldSet{at: map[string]int{}}
	for i := range crd.Versions {
		if v := &crd.Versions[i]; v.Name == version {
			s.list, more = v.FieldsUpTo(proposeDepth, proposeFields)
		}
	}
	for i := range s.list {
		f := &s.list[i]
		f.Path = strings.TrimPrefix(f.Path, ".")
		if p, err := fieldpath.Parse(f.Path); err != nil || p.String() != f.Path {
			more++ // its name has a dot, for example
		}
		if _, twice := s.at[f.Path]; !twice {
			s.at[f.Path] = i
		}
	}
	return s, more
}

// proposal makes the rules between two versions.
type proposal struct {
	*Pair
	a, b *fieldSet // of the versions
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
	gone, changed := differing(p.a, p.b)
	new, _ := differing(p.b, p.a)
	for _, f := range changed {
		p.changed(f, *p.b.find(f.Path))
	}
	for _, f := range p.a.list {
		if g := p.b.find(f.Path); g != nil {
			if values := translation(f.Enum, g.Enum); values != "" {
				// Without it the field has the same path in both versions, and needs no rule.
				r := p.rule([2]string{f.Path, f.Path}, fmt.Sprintf("the values of %s are spelt in another way in %s", f.Path, p.To), "translate: %s, values: %s", quoted(f.Path), values)
				r.instead = []*Rule{}
			}
		}
	}
	gone = p.corresponding(gone, &new)
	p.offer(gone, new)
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
	element := func(fields *fieldSet, name string) bool {
		return fields.find(f.Path+fieldpath.Elements+"."+name) != nil
	}
	var r *Rule
	switch s, t := types[f.Type], types[g.Type]; {
	case p.nested(f, p.a, p.b, "nest", p.To):
	case p.nested(f, p.b, p.a, "unnest", p.From):
	case s == "string" && t != "" && t != "string" || t == "string" && s != "" && s != "string":
		r = p.guess(f, g, comment, "convert: %s, as: [%s, %s]", quoted(f.Path), s, t)
	case p.a.find(f.Path+"."+fieldpath.Members) != nil && element(p.b, "name"):
		r = p.guess(f, g, comment, "listFromMap: %s, key: name%s", quoted(f.Path), p.valueMember(p.a, p.b, f.Path))
	case p.b.find(f.Path+"."+fieldpath.Members) != nil && element(p.a, "name"):
		r = p.guess(f, g, comment, "mapFromList: %s, key: name%s", quoted(f.Path), p.valueMember(p.b, p.a, f.Path))
	default:
		drop := p.dropped(f, 0)
		drop.Reason = comment + ": write a rule that converts it instead of these two"
		back := p.dropped(f, 1)
		back.Reason = "and back"
		p.Rules = append(p.Rules, drop, back)
	}
	if r != nil {
		r.instead[0].Reason, r.instead[1].Reason = "without that rule, both versions keep their own "+f.Path, "and back"
	}
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
	for _, other := range objects.list {
		member, ok := strings.CutPrefix(other.Path, f.Path+fieldpath.Elements+".")
		if ok && member != "name" && !strings.ContainsAny(member, ".[*") {
			r.with = append(r.with, p.dropped(other, side))
		}
	}
	return true
}

// valueMember returns the member value of a rule between a map and a list, if the map's values are
// not objects.
func (p *proposal) valueMember(maps, lists *fieldSet, at string) string {
	if v := maps.find(at + "." + fieldpath.Members); v.Type != "an object" && lists.find(at+fieldpath.Elements+".value") != nil {
		return ", value: value"
	}
	return ""
}

// corresponding writes rules for pairs of fields of which one vanished and one appeared. It returns
// the others.
func (p *proposal) corresponding(gone []schema.Field, new *[]schema.Field) (rest []schema.Field) {
	if len(gone)+len(*new) > maxCompared {
		return gone
	}
	// The most similar fields first: those that remain are then fewer, and perhaps the only ones of their type.
	return p.pair(p.pair(p.pair(gone, new, elsewhere), new, onlyOne), new, 0)
}

// pair is corresponding for pairs whose likeness is more than above.
func (p *proposal) pair(gone []schema.Field, new *[]schema.Field, above int) (rest []schema.Field) {
	for i, f := range gone {
		best, score := -1, above
		left := append(slices.Clone(rest), gone[i:]...) // without those that have a counterpart
		for j, g := range *new {
			if s := p.likeness(f, g, left, *new); s > score {
				best, score = j, s
			}
		}
		if best < 0 {
			rest = append(rest, f)
			continue
		}
		g := (*new)[best]
		*new = slices.Delete(slices.Clone(*new), best, best+1)
		p.counterpart(f, g)
	}
	return rest
}

// counterpart writes the rule for a field that has another path in the other version.
func (p *proposal) counterpart(f, g schema.Field) {
	comment := fmt.Sprintf("%s is in %s only, and %s in %s only, with the same type: do they mean the same?", f.Path, p.From, g.Path, p.To)
	a, _ := fieldpath.Parse(f.Path)
	b, _ := fieldpath.Parse(g.Path)
	var r *Rule
	switch values := translation(f.Enum, g.Enum); {
	case f.Type != g.Type:
		r = p.guess(f, g, fmt.Sprintf("%s (%s) is in %s only, and %s (%s) in %s only", f.Path, f.Type, p.From, g.Path, g.Type, p.To), "convert: %s, to: %s, as: [%s]", quoted(f.Path), quoted(g.Path), unitOf(a.Last(), b.Last()))
	case values != "":
		r = p.guess(f, g, comment, "translate: %s, to: %s, values: %s", quoted(f.Path), quoted(g.Path), values)
	case a.Parent().Equal(b.Parent()):
		r = p.guess(f, g, comment, "rename: %s, to: %s", quoted(f.Path), quoted(g.Path))
	default:
		r = p.guess(f, g, comment, "move: %s, to: %s", quoted(f.Path), quoted(g.Path))
	}
	if !a.Parent().Equal(b.Parent()) {
		r.shared = p.shared(a, b)
	}
	if why := p.unlike(f, g); why != "" {
		r.Withdraw(why)
	}
}

// offer adds rules that may be right instead of those that drop the fields.
func (p *proposal) offer(gone, new []schema.Field) {
	if len(gone)+len(new) > maxCompared {
		return
	}
	for _, f := range gone {
		var parts []string
		for _, g := range new {
			if f.Type == "a string" && g.Type == "a string" && !strings.ContainsAny(f.Path+g.Path, "*[") && parentOf(f.Path) == parentOf(g.Path) {
				parts = append(parts, g.Path)
			}
		}
		rivals := slices.ContainsFunc(gone, func(other schema.Field) bool {
			return other.Path != f.Path && other.Type == f.Type && parentOf(other.Path) == parentOf(f.Path)
		})
		switch {
		case rivals: // which of them is a guess
		case len(parts) > 1 && len(parts) <= program.MaxParts:
			p.Offers = append(p.Offers, fmt.Sprintf("instead of dropping these fields:\n- {split: %s, to: [%s], words: true} # or separator: \":\"", f.Path, strings.Join(parts, ", ")))
		case len(parts) == 1:
			p.Offers = append(p.Offers, fmt.Sprintf("instead of dropping both:\n- {rename: %s, to: %s}", f.Path, parts[0]))
		}
	}
}

func parentOf(text string) string { return text[:max(0, strings.LastIndexByte(text, '.'))] }

// differing returns the outermost fields that only a has, and those that b has with another type.
func differing(a, b *fieldSet) (only, changed []schema.Field) {
	var listed fieldpath.Path // the last one: those in it follow it
	for _, f := range a.list {
		p, err := fieldpath.Parse(f.Path)
		if err != nil || p.String() != f.Path || listed != nil && p.Within(listed) {
			continue
		}
		switch g := b.find(f.Path); {
		case g != nil && g.Type != f.Type && fieldpath.IsEvery(p.Last()): // the elements are something else
			changed, listed = append(changed, schema.Field{Path: p.Parent().String(), Type: f.Type + " in each element"}), p.Parent()
		case g == nil && fieldpath.IsEvery(p.Last()):
			listed = p // what is above differs in its type, or declares no elements
		case g == nil:
			only, listed = append(only, f), p
		case g.Type != f.Type:
			changed, listed = append(changed, f), p
		}
	}
	return only, changed
}

// quoted returns a path as YAML in braces.
func quoted(text string) string {
	if strings.ContainsAny(text, "[]*'\"$") || !strings.Contains(text, ".") { // a single word may be null
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	return text
}
