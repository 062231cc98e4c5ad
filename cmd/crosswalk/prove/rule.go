package prove

import "slices"

// prover decides about the rules of a region, and those within them.
type prover struct{ *stash }

// verbs are the verbs with a lemma.
var verbs = []string{"rename", "move", "each", "translate", "nest", "wrap", "drop", "convert", "split", "splitList", "listFromMap", "renameKeys", "skip"}

// values decides about two values of which rules make one from the other.
func (p prover) values(g region, all []placed) {
	blind := false // a rule's fields are not known
	told := slices.Clone(all)
	for i := range told {
		told[i].roots, told[i].mapped = g.roots, g.mapped
	}
	told = slices.DeleteFunc(told, func(r placed) bool {
		known := p.need(known, slices.Contains(verbs, r.Verb), r.Line, r.where(r.Side), "there is no lemma for the verb %s", r.Written)
		blind = blind || !known
		return !known
	})
	g.claims = p.claimed(told)
	for _, r := range told {
		for _, q := range told { // only rules of one list are ordered so that each finds its place free
			p.need(one, q.block == r.block || !r.crosses(q), r.Line, r.where(0), "a rule in another list is about the same path of %s", p.versions[1])
		}
		p.rule(g, r)
	}
	if !blind {
		frame{p.stash, g}.decide()
	}
}

// claimed returns the fields that rules are about, of which each has one rule.
func (p prover) claimed(all []placed) (c [2]*claims) {
	inner := dropsWithin(all)
	for side := range c {
		c[side] = &claims{}
	}
	for i := range all {
		r := &all[i]
		for side := range c {
			if inner[i] || !r.about(side) {
				continue // the rule around it is about the field
			}
			for _, field := range r.fields(side) {
				p.need(one, c[side].add(field, r), r.Line, r.roots[0].Join(field...), "another rule is about the same field of %s", p.versions[side])
			}
		}
	}
	return c
}

// rule applies the lemma for the verb of a rule.
func (p prover) rule(g region, r placed) {
	need := func(c condition, holds bool, format string, args ...any) {
		p.need(c, holds, r.Line, r.where(r.Side), format, args...)
	}
	lemma(p).withdrawn(r)
	need(known, !r.Elsewise, "there is no lemma for a member of the rule")
	need(always, !r.Conditional || r.inCase && g.top(), "the rule has a condition, and the lemmas are about conditions of rules for the object as a whole")
	need(kept, !r.OneWay, "the rule is for one direction, and both versions lose their field")
	need(direct, p.steps == 1 || slices.Contains([]string{"rename", "move", "each", "translate"}, r.Verb), "on the way through a third version, the lemmas cover rename, move, each and translate only")
	switch {
	case r.Verb == "drop":
		lemma(p).drop(g, r)
	case r.scatters():
		lemma(p).splitFields(g, r)
	default:
		p.both(g, r)
	}
	p.apply(r)
}

// both decides about a rule with a field of each version.
func (p prover) both(g region, r placed) {
	fields := sides{}
	for side := range g.sides {
		if !p.need(place, !g.isMetadata(r.at[side]), r.Line, r.where(side), "the schema does not describe metadata") {
			return
		}
		if fields[side] = lookup(g.sides[side], r.at[side]); !p.need(place, fields[side] != nil, r.Line, r.where(side), "the schema of %s does not name the field", p.versions[side]) {
			return
		}
		p.need(null, !nullable(fields[side], r.at[side]), r.Line, r.where(side), "it can be null in %s", p.versions[side])
		p.typed(fields[side], r.types()[side], r.Line, r.where(side), p.versions[side], "the rule is about")
	}
	l := lemma(p)
	if r.relocates() {
		l.relocation(g, r, fields)
	}
	switch r.Verb {
	case "rename", "move", "each":
		p.moved(r, fields, p.needed(g, r))
	case "translate":
		l.translate(g, r, fields)
	case "nest":
		l.nest(r, fields)
	case "wrap":
		l.wrap(r, fields)
	case "split":
		l.splitObject(r, fields)
	case "convert":
		l.converted(g, r, fields)
	case "splitList":
		l.splitList(r, fields)
	case "listFromMap":
		if elements, ok := l.listFromMap(r, fields); ok {
			r.mapped, r.at[r.Side], r.at[1-r.Side] = true, r.at[r.Side].Join(everyMember), r.at[1-r.Side].Join(everyElement)
			p.moved(r, elements, [2]bool{})
		}
	case "renameKeys":
		l.renameKeys(r, fields)
	case "skip":
		if others, ok := l.skip(r, fields); ok {
			p.moved(r, others, [2]bool{})
		}
	}
}

// types returns the types of the fields that a rule is about, in each version; "" for any.
func (r placed) types() (all [2]string) {
	if r.Verb == "convert" {
		return [2]string{typeIn(r.As[0]), typeIn(r.As[1])}
	}
	all = map[string][2]string{"splitList": {"string", "array"}, "split": {"string", "object"}, "listFromMap": {"object", "array"}, "wrap": {"", "array"},
		"nest": {"", "object"}, "renameKeys": {"object", "object"}, "skip": {"array", "array"}}[r.Verb]
	if r.Side == 1 {
		all[0], all[1] = all[1], all[0]
	}
	return all
}

// moved decides about a value that keeps its bytes, except for the rules within it. needed says which
// version requires it.
func (p prover) moved(r placed, fields sides, needed [2]bool) {
	if len(r.Inner) == 0 {
		p.same(fields, needed, r.Line, r.where(0))
		return
	}
	p.need(defaults, fields[0].Default.Object == nil && fields[1].Default.Object == nil, r.Line, r.where(0), "a version sets a default for the value")
	prefix := path{}
	if r.Every != "" && r.Verb != "listFromMap" { // whose values are an element and a member already
		prefix = prefix.Join(r.Every)
	}
	inner := expand(r.Inner, prefix)
	for i := range inner {
		inner[i].inCase = r.inCase
	}
	p.values(region{sides: fields, roots: [2]path{r.whole(0), r.whole(1)}, inCase: r.inCase, mapped: r.mapped}, inner)
}
