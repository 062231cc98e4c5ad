package propose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose/values"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// candidate is a field that one version alone has, or a member of one.
type candidate struct {
	schema.Field
	path  fieldpath.Path
	words []string // of its path
	inner bool     // it is a member of a field that one version alone has
}

// candidatesOf returns the fields of a list and their members.
func candidatesOf(set *fieldSet, outermost []schema.Field) (all []candidate) {
	for f, inner := range set.members(outermost) {
		if p, err := fieldpath.Parse(f.Path); err == nil && len(all) < maxCompared && !fieldpath.IsEvery(p.Last()) {
			all = append(all, candidate{f, p, wordsOf(p), inner})
		}
	}
	return all
}

// corresponding writes rules for pairs of fields of which one vanished and one appeared, the most similar
// ones first. It returns the others.
func (p *proposal) corresponding(gone, new []schema.Field) (restGone, restNew []schema.Field) {
	if len(gone)+len(new) > maxCompared {
		return gone, new
	}
	type couple struct {
		f, g     candidate
		likeness int
	}
	var all []couple
	here, there := candidatesOf(p.a, gone), candidatesOf(p.b, new)
	for _, f := range here {
		for _, g := range there {
			if n := p.likeness(f, g); n > 0 {
				all = append(all, couple{f, g, n})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y couple) int { return cmp.Compare(y.likeness, x.likeness) })
	taken, off := p.inference, [2]map[string]bool{{}, {}} // off: fields of rules that are comments
	for i, x := range all {
		if taken.takenAt(0, x.f.Path) || taken.takenAt(1, x.g.Path) || off[0][x.f.Path] || off[1][x.g.Path] {
			continue
		}
		r := p.counterpart(x.f.Field, x.g.Field)
		for _, y := range all[i+1:] {
			one, other := y.f.Path == x.f.Path && !taken.takenAt(1, y.g.Path), y.g.Path == x.g.Path && !taken.takenAt(0, y.f.Path)
			if y.likeness == x.likeness && (one && !fuzz.Around(y.g.Path, x.g.Path) || other && !fuzz.Around(y.f.Path, x.f.Path)) {
				r.Withdraw(fmt.Sprintf("the names of %s and %s are as similar. If both are it, a rule copy makes one of the other", y.f.Path, y.g.Path))
			}
		}
		if r.off == "" {
			taken.take(x.f.Path, x.g.Path)
		} else { // the fields are dropped with the objects around them
			off[0][x.f.Path], off[1][x.g.Path], r.instead = true, true, nil
		}
	}
	restGone, restNew = taken.rest(0, p.a, gone), taken.rest(1, p.b, new)
	for _, f := range restGone { // the only two fields of a type in an object
		same := func(all []schema.Field) (one []schema.Field) {
			for _, h := range all {
				if h.Type == f.Type && h.Type != "an object" && parentOf(h.Path) == parentOf(f.Path) {
					one = append(one, h)
				}
			}
			return one
		}
		if g := same(restNew); len(g) == 1 && !off[0][f.Path] && !off[1][g[0].Path] && len(same(restGone)) == 1 && p.akin(f, g[0]) {
			r := p.counterpart(f, g[0])
			if r.instead = nil; r.off == "" {
				r.Withdraw("their names have no word in common, and no object shows that they mean the same")
			}
		}
	}
	return restGone, restNew
}

// counterpart writes the rule for a field that has another path in the other version.
func (p *proposal) counterpart(f, g schema.Field) *Rule {
	comment := fmt.Sprintf("%s is in %s only, and %s in %s only, with the same type: do they mean the same?", f.Path, p.From, g.Path, p.To)
	a, _ := fieldpath.Parse(f.Path)
	b, _ := fieldpath.Parse(g.Path)
	verb := "move"
	if a.Parent().Equal(b.Parent()) {
		verb = "rename"
	}
	paths := quoted(f.Path) + ", to: " + quoted(g.Path)
	why := p.unlike(f, g)
	var r *Rule
	switch table := translation(f.Enum, g.Enum); {
	case f.Type != g.Type && values.TypesOf(a.Last(), b.Last()) == "":
		r = p.guess(f, g, fmt.Sprintf("%s is %s in %s, and %s is %s in %s", f.Path, f.Type, p.From, g.Path, g.Type, p.To), "%s: %s, type: string", p.listing(f, g), paths)
	case f.Type != g.Type:
		r = p.guess(f, g, fmt.Sprintf("%s (%s) is in %s only, and %s (%s) in %s only", f.Path, f.Type, p.From, g.Path, g.Type, p.To), "convert: %s, as: [%s], unfit: stash", paths, values.TypesOf(a.Last(), b.Last()))
	case f.Type == "a boolean" && why == opposite:
		r = p.guess(f, g, comment, "translate: %s, values: [[true, false], [false, true]]", paths)
	case table != "":
		r = p.guess(f, g, comment, "translate: %s, values: %s", paths, table)
	default:
		r = p.guess(f, g, comment, "%s: %s", verb, paths)
		p.complete(r, f, g)
	}
	if !a.Parent().Equal(b.Parent()) {
		r.shared = p.shared(a, b)
	}
	if why != "" {
		r.Withdraw(why)
	} else {
		p.inference.check(r, f, g)
	}
	return r
}

// complete completes the rule for a field that moves with rules for the members that one version alone has.
func (p *proposal) complete(r *Rule, f, g schema.Field) {
	switch inner, why := p.lacking(f, g); {
	case why != "":
		r.Withdraw(why)
	case len(inner) > 0:
		within := map[bool]string{true: "each", false: "rules"}[f.Type == "an array"]
		r.Text = fmt.Sprintf("move: %s, to: %s, %s: [%s]", quoted(f.Path), quoted(g.Path), within, strings.Join(inner, ", "))
	}
}

// listing returns the verb between a text and a list of texts; "" if the fields are something else.
func (p *proposal) listing(f, g schema.Field) string {
	texts := func(set *fieldSet, f schema.Field) bool {
		element := set.find(f.Path + fieldpath.Elements)
		return element != nil && element.Type == "a string"
	}
	switch {
	case f.Type == "a string" && texts(p.b, g):
		return "wrap"
	case texts(p.a, f) && g.Type == "a string":
		return "unwrap"
	}
	return ""
}

// scheduled is how a schedule is split.
const scheduled = "words: true"

// known are texts whose parts have these names, in the order of the text: a schedule, and an address.
var known = []struct {
	parts []string // the beginnings of their names
	how   string
}{{[]string{"min", "hour", "dayofm", "month", "dayofw"}, scheduled}, {[]string{"host", "port"}, "hostPort: true"}}

// ordered sorts parts by their places in a known text, and says how it is split; "" if it is not known.
func ordered(parts []schema.Field) (how string) {
	for _, k := range known {
		place := func(g schema.Field) int {
			name := strings.ToLower(strings.TrimPrefix(g.Path, parentOf(g.Path)+"."))
			return slices.IndexFunc(k.parts, func(part string) bool { return strings.HasPrefix(name, part) })
		}
		slices.SortStableFunc(parts, func(a, b schema.Field) int { return cmp.Compare(place(a), place(b)) })
		if len(parts) == len(k.parts) && !slices.ContainsFunc(parts, func(g schema.Field) bool { return place(g) < 0 || parts[place(g)].Path != g.Path }) {
			return k.how
		}
	}
	return ""
}

// schedule returns the rule for a schedule whose parts are the members of an object, a star for an absent
// one; "" if the members are others.
func schedule(set *fieldSet, object string) string {
	var parts []schema.Field
	var to []string
	for _, f := range set.below(object) {
		parts = append(parts, f)
	}
	how := ordered(parts)
	for _, f := range parts {
		if to = append(to, quoted(f.Path)); f.Type != "a string" {
			return ""
		}
	}
	if how != scheduled {
		return ""
	}
	return fmt.Sprintf(`[%s], %s, absent: "*", unfit: stash`, strings.Join(to, ", "), how)
}

// divided writes rules for texts whose parts are fields beside them in the other version. If their names do
// not say so, it offers the rule. It returns the other fields.
func (p *proposal) divided(gone, new []schema.Field) (restGone, restNew []schema.Field) {
	if len(gone)+len(new) > maxCompared {
		return gone, new
	}
	for _, f := range gone {
		var parts []schema.Field
		beside := func(g schema.Field) bool { return parentOf(f.Path) == parentOf(g.Path) }
		for _, g := range new {
			if (g.Type == f.Type || g.Type == "an integer") && !strings.ContainsAny(f.Path+g.Path, "*[") && beside(g) {
				parts = append(parts, g)
			}
		}
		rivals := slices.ContainsFunc(gone, func(g schema.Field) bool { return g.Path != f.Path && g.Type == f.Type && beside(g) })
		if f.Type != "a string" || rivals || len(parts) < 2 || len(parts) > program.MaxParts { // which of several is a guess
			restGone = append(restGone, f)
			continue
		}
		how := ordered(parts)
		active := how != ""
		if !active {
			how = `separator: ":"`
		}
		var to []string
		for _, g := range parts {
			if to = append(to, quoted(g.Path)); g.Type == "an integer" {
				to[len(to)-1] = fmt.Sprintf("{path: %s, type: integer}", quoted(g.Path))
			}
		}
		text := fmt.Sprintf("split: %s, to: [%s], %s, unfit: stash", quoted(f.Path), strings.Join(to, ", "), how)
		if !active {
			restGone = append(restGone, f)
			p.Offers = append(p.Offers, "instead of dropping these fields, with the parts in the order of the text:\n- {"+text+"}")
			continue
		}
		r := p.rule([2]string{f.Path, ""}, fmt.Sprintf("the names of %d fields of %s are those of the parts of %s", len(parts), p.To, f.Path), "%s", text)
		r.instead = []*Rule{p.dropped(f, 0)}
		for _, g := range parts {
			r.instead = append(r.instead, p.dropped(g, 1))
		}
		new = slices.DeleteFunc(slices.Clone(new), func(g schema.Field) bool {
			return slices.ContainsFunc(parts, func(h schema.Field) bool { return h.Path == g.Path })
		})
	}
	return restGone, new
}

func parentOf(text string) string { return text[:max(0, strings.LastIndexByte(text, '.'))] }
