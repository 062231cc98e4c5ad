package propose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose/values"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// inference makes rules from values for a proposal.
type inference struct {
	*proposal
	compared *values.Compared
	taken    [2]map[string]bool // paths of fields with inferred rules
	seen     []string           // relations without a rule
}

// infer writes rules for fields whose values correspond in the observed objects. It returns the
// fields that have no rule: of objects of which it moved a member, the others.
func (p *inference) infer(gone, new, changed []schema.Field) (restGone, restNew, restChanged []schema.Field) {
	if p.seen = nil; len(p.compared.Objects) == 0 || len(gone)+len(new) > maxCompared {
		return gone, new, changed
	}
	for _, f := range p.a.list {
		g := p.b.find(f.Path)
		if g == nil || f.Type == "an object" || strings.HasPrefix(f.Type, "an array") || strings.HasPrefix(f.Type, "a list") {
			continue
		}
		p.inPlace(p.compared.NewField(0, f), p.compared.NewField(1, *g))
	}
	sides := [2][]*values.Field{p.withValues(0, p.a, gone), p.withValues(1, p.b, new)}
	for _, relate := range []func(f, g *values.Field) (*values.Fit, bool){p.equalFit, p.unitFit, p.tableFit} {
		p.match(sides, relate)
	}
	p.splits(gone, changed, sides[1])
	if p.compared.Exhausted() {
		p.seen = append(p.seen, fmt.Sprintf("too many fields and objects to compare all: no more than %d values were", values.MaxComparisons))
	}
	changed = slices.DeleteFunc(slices.Clone(changed), func(f schema.Field) bool { return p.taken[0][f.Path] })
	return p.rest(0, p.a, gone), p.rest(1, p.b, new), changed
}

// constants writes rules for fields with one value in all objects, as comments if the older version alone
// has fields: one may tell the value. It returns the other fields.
func (p *inference) constants(gone, new []schema.Field) []schema.Field {
	objects := len(p.compared.Objects)
	if objects < 2 || len(gone)+len(new) > maxCompared {
		return new
	}
	for _, g := range p.withValues(1, p.b, new) {
		if value := g.Only(objects); value != "" && len(g.Enum) > 0 {
			r := p.rule([2]string{"", g.Path}, fmt.Sprintf("each of %s has the same %s", plural.Count(objects, "object"), g.Path), "constant: %s, in: %s, value: %s", quoted(g.Path), p.To, value)
			if r.instead = []*Rule{p.dropped(g.Field, 1)}; len(gone) > 0 {
				r.Withdraw(fmt.Sprintf("%s, which %s alone has, may tell it", gone[0].Path, p.From))
			}
			p.taken[1][g.Path] = true
		}
	}
	return p.rest(1, p.b, new)
}

// withValues returns the fields of a list and their members that have values in some objects.
func (p *inference) withValues(side int, set *fieldSet, outermost []schema.Field) (all []*values.Field) {
	for f := range set.members(outermost) {
		if v := p.compared.NewField(side, f); v.Any() && len(all) < maxCompared {
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(a, b *values.Field) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// inPlace writes a rule for a field whose values differ between the versions, and whose path does not.
func (p *inference) inPlace(f, g *values.Field) {
	if !f.Any() || !g.Any() || f.Type == g.Type && values.Equal(p.compared, f, g).Contra == 0 {
		return
	}
	for _, relate := range []func(f, g *values.Field) (*values.Fit, bool){p.unitFit, p.tableFit} {
		if x, strong := relate(f, g); x != nil && x.Fits() && strong {
			if f.Type == g.Type {
				p.inferred(x).instead = []*Rule{} // without it the value stays
			} else {
				p.inferred(x)
			}
			return
		}
	}
	if x := values.Equal(p.compared, f, g); f.Type == g.Type && x.Contra < x.Objects {
		p.remark("the values of %s are equal in %s, but %s", f.Path, plural.Count(x.Objects, "object"), x.Against)
	}
}

func (p *inference) equalFit(f, g *values.Field) (*values.Fit, bool) {
	if f.Type != g.Type {
		return nil, false
	}
	x := values.Equal(p.compared, f, g)
	return x, x.Distinct > 1 && f.Type != "a boolean" || x.Objects > 0 && values.Telling(x.Sample, f.Field, g.Field)
}

func (p *inference) unitFit(f, g *values.Field) (*values.Fit, bool) {
	if f.Type == "an integer" && g.Type == "an integer" {
		x, factor, named := values.Scaled(p.compared, f, g)
		if x == nil {
			return nil, false
		}
		if x.As == "" {
			p.say(x, "no rule multiplies by "+foreign.Shorten(factor.RatString(), 100))
			return nil, false
		}
		return x, x.Distinct > 1 || named
	}
	x := values.Written(p.compared, f, g)
	return x, x != nil && (x.Distinct > 1 || values.Telling(x.Sample, f.Field, g.Field))
}

func (p *inference) tableFit(f, g *values.Field) (*values.Fit, bool) {
	x := values.Translated(p.compared, f, g)
	return x, x != nil && (f.Path == g.Path || len(x.Table) > 1)
}

// say offers a relation that cannot be a rule, or that another object contradicts.
func (p *inference) say(x *values.Fit, why string) {
	if x.Objects > 1 && x.Distinct > 1 {
		p.remark("%s and %s correspond in %s (%s), but %s", x.F.Path, x.G.Path, plural.Count(x.Objects, "object"), x.First, why)
	}
}

// maxSaid is the number of relations that a file names without a rule.
const maxSaid = 20

// remark says something of a relation without a rule, unless enough is said.
func (p *inference) remark(format string, args ...any) {
	if len(p.seen) < maxSaid {
		p.seen = append(p.seen, fmt.Sprintf(format, args...))
	}
}

// match writes rules for the pairs of fields that one relation fits, if no other field fits as well.
func (p *inference) match(sides [2][]*values.Field, relate func(f, g *values.Field) (*values.Fit, bool)) {
	type found struct {
		*values.Fit
		strong   bool
		likeness int
	}
	var all []found
	every := func(v *values.Field) fieldpath.Path { path := v.Steps; return path[:lastEvery(path)+1] }
	for _, f := range sides[0] {
		for _, g := range sides[1] {
			if p.takenAt(0, f.Path) || p.takenAt(1, g.Path) || !every(f).Equal(every(g)) {
				continue
			}
			x, strong := relate(f, g)
			switch {
			case x == nil:
			case x.Fits():
				all = append(all, found{x, strong, p.likeness(candidate{f.Field, f.Steps, wordsOf(f.Steps), false}, candidate{g.Field, g.Steps, wordsOf(g.Steps), false})})
			case x.Objects > x.Contra:
				p.say(x, x.Against)
			}
		}
	}
	if p.compared.Exhausted() {
		return // a rival may not be among them
	}
	byField := map[*values.Field][]found{}
	for _, x := range all {
		byField[x.F], byField[x.G] = append(byField[x.F], x), append(byField[x.G], x)
	}
	// rivals returns the other relations of one of the fields that are as probable.
	rivals := func(x found) (others []found) {
		for _, y := range slices.Concat(byField[x.F], byField[x.G]) {
			if y.Fit != x.Fit && y.likeness >= x.likeness {
				others = append(others, y)
			}
		}
		return others
	}
	said := map[*values.Field]bool{}
	for _, x := range all {
		if p.takenAt(0, x.F.Path) || p.takenAt(1, x.G.Path) {
			continue
		}
		// An object is the whole of its members: the rule for the object stands for theirs.
		others := slices.DeleteFunc(rivals(x), func(y found) bool { return fuzz.Within(y.F.Path, x.F.Path) && fuzz.Within(y.G.Path, x.G.Path) })
		switch {
		case len(others) > 0 && !said[x.F] && !said[x.G]:
			said[x.F], said[x.G] = true, true
			p.remark("%s and %s have equal or corresponding values in %s (%s), but %s and %s have, too", x.F.Path, x.G.Path, plural.Count(x.Objects, "object"), x.First, others[0].F.Path, others[0].G.Path)
		case len(others) > 0:
		case !x.strong && (x.Rule != "rename" || x.likeness == 0):
			p.remark("%s and %s correspond in %s, with too few values to tell it from chance (%s)", x.F.Path, x.G.Path, plural.Count(x.Objects, "object"), x.First)
		default:
			p.inferred(x.Fit)
		}
	}
}

// check withdraws a rule between two fields that an object contradicts.
func (p *inference) check(r *Rule, f, g schema.Field) {
	if why := p.contradicted(f, g); why != "" {
		r.Withdraw(why)
	}
}

// contradicted says which object contradicts that two fields with names alike mean the same; "" if none
// does. Their values are equal.
func (p *inference) contradicted(f, g schema.Field) string {
	if len(p.compared.Objects) == 0 {
		return ""
	}
	a, b := p.compared.NewField(0, f), p.compared.NewField(1, g)
	x := values.Equal(p.compared, a, b)
	if p.listing(f, g) != "" {
		x = values.Listed(p.compared, a, b)
	} else if f.Type != g.Type {
		if x = values.Written(p.compared, a, b); x == nil && (a.Any() || b.Any()) {
			return fmt.Sprintf("their values do not say the same in the objects (%s)", values.Equal(p.compared, a, b).Against)
		}
	} else if translation(f.Enum, g.Enum) != "" {
		x = values.Translated(p.compared, a, b)
	}
	if x == nil || x.Contra == 0 {
		return ""
	}
	return "an object contradicts it: " + x.Against
}

// takenAt reports whether a rule is about a field, the object around it, or a member.
func (p *inference) takenAt(side int, path string) bool {
	for other := range p.taken[side] {
		if fuzz.Around(path, other) {
			return true
		}
	}
	return false
}

// take notes the fields of a rule.
func (p *inference) take(here, there string) { p.taken[0][here], p.taken[1][there] = true, true }

// inferred writes the rule of a relation.
func (p *inference) inferred(x *values.Fit) *Rule {
	p.take(x.F.Path, x.G.Path)
	a, b := x.F.Steps, x.G.Steps
	names := x.F.Path + " and " + x.G.Path
	if x.F.Path == x.G.Path {
		names = x.F.Path
	}
	reason := fmt.Sprintf("the values of %s correspond in %s: %s in %s and %s", names, plural.Count(x.Objects, "object"), x.First, p.From, p.To)
	text := quoted(x.F.Path)
	if x.F.Path != x.G.Path {
		text += ", to: " + quoted(x.G.Path)
	}
	verb := x.Rule
	switch x.Rule {
	case "convert":
		text += ", as: [" + x.As + "], unfit: stash"
	case "translate":
		table, unseen := x.TableText()
		if spelt := translation(x.F.Enum, x.G.Enum); spelt != "" && x.Among(spelt) {
			table, unseen = spelt, nil // of all values, by their spelling
		}
		text += ", values: " + table
		if len(unseen) > 0 {
			reason += ". No object has " + enumerate(unseen, maxUnseen) + ": complete the table"
		} else if len(x.F.Enum) == 0 || len(x.G.Enum) == 0 {
			reason += ". Values that no object has are not in the table"
		}
	case "rename":
		if !a.Parent().Equal(b.Parent()) {
			verb = "move"
		}
	}
	r := p.guess(x.F.Field, x.G.Field, reason, "%s: %s", verb, text)
	if !a.Parent().Equal(b.Parent()) {
		r.shared = p.shared(a, b)
	}
	r.shown = true
	if x.Rule == "rename" {
		p.complete(r, x.F.Field, x.G.Field)
	}
	return r
}

// maxUnseen is the number of values without a partner that a comment names.
const maxUnseen = 5

// rest returns the fields that have no rule, of a list and of the objects in it of which another rule
// is about a member.
func (p *inference) rest(side int, set *fieldSet, outermost []schema.Field) (rest []schema.Field) {
	for _, f := range outermost {
		switch {
		case p.taken[side][f.Path]:
		case !p.takenAt(side, f.Path):
			rest = append(rest, f)
		default:
			var members []schema.Field
			for below, inner := range set.below(f.Path) {
				if name, ok := strings.CutPrefix(below, "."); ok && !strings.ContainsAny(name, ".[*") {
					members = append(members, inner)
				}
			}
			rest = append(rest, p.rest(side, set, members)...)
		}
	}
	return rest
}
