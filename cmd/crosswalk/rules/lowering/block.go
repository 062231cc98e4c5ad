// Package lowering derives the operations of a list of rules in one direction: it enters lists and
// objects, orders operations, deletes emptied objects, and knows the fields that other rules name and
// the stash keeps. It knows no verb.
package lowering

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// Lowering derives the operations of one direction of a step from rules.
type Lowering struct {
	Ledger
	verb func(l *Lowering, one *syntax.Rule) []Phased // lowers one rule as its verb says
}

// New returns the lowering of a direction that knows nothing yet of the other directions.
func New(declared *Declaration, s *Pair, dir int, r *syntax.Mistakes, n *Needs, verb func(l *Lowering, one *syntax.Rule) []Phased) *Lowering {
	return &Lowering{verb: verb, Ledger: Ledger{
		Scope: Scope{step: s, Dir: dir, Mistakes: r}, declared: declared,
		claims: &[]Claim{}, All: &[]Claim{}, Stashed: &[]Claim{}, Needs: n, Notes: new(bool),
	}}
}

// Bounds of the work for a file: the rules of a list, of which half may be about one version alone,
// and the fields that all rules of a pair of versions name.
const (
	maxRules  = 2 * program.MaxOperations
	maxClaims = 4 * program.MaxFields
)

// Block lowers rules to a block.
func (l *Lowering) Block(rules []*syntax.Rule) (b program.Block) {
	var all []Phased
	var groups []group
	if len(rules) > maxRules {
		l.Mistakes.At(rules[maxRules].Node, "the list has %d rules of at most %d: split them into several modules", len(rules), maxRules)
		return nil
	}
	for _, one := range rules {
		if len(*l.All) > maxClaims {
			l.Mistakes.At(one.Node, "the rules before this one name more than %d fields: split them into several modules", maxClaims)
			return nil
		}
		l.checkOneWay(one)
		before := len(*l.claims)
		ops := l.verb(l, one)
		if l.against(one) {
			ops = nil
		}
		if w := one.Args["when"]; w != nil && len(ops) > 0 {
			c := l.condition(one, w)
			for i := range ops {
				ops[i].Condition = c
			}
		}
		l.checkOverlap(one, before)
		groups = append(groups, groupOf(&l.Ledger, one, ops, (*l.claims)[before:]))
	}
	for i, g := range groups {
		if l.against(g.rule) { // only now all rules are known
			groups[i].ops, groups[i].makes = l.removed(g.rule, *l.claims), nil
		}
	}
	for _, g := range l.ordered(groups) {
		all = append(all, g.ops...)
	}
	all = append(all, l.emptied()...)
	slices.SortStableFunc(all, func(a, b Phased) int { return int(a.phase - b.phase) })
	for _, op := range all {
		b = append(b, op.Operation)
	}
	if len(b) > program.MaxOperations {
		l.Mistakes.At(l.step.Node, "the rules make %d operations of at most %d: split them into several modules", len(b), program.MaxOperations)
	}
	l.checkConditions(rules)
	checkSkipped(&l.Ledger)
	return b
}

// Enter returns the lowering of rules and conditions about the value at a path.
func (l *Lowering) Enter(p [2]fieldpath.Path) *Lowering {
	inner := *l
	for side := range p {
		inner.Prefix[side] = l.Prefix[side].Join(p[side]...)
	}
	return &inner
}

// Subrules returns the lowering of rules within a rule: they overlap with the rule, as they should.
func (l *Lowering) Subrules() *Lowering {
	inner := *l
	inner.claims = &[]Claim{}
	return &inner
}

// Nested lowers the rules for the elements of the value at p, or, if it is an object, for its members.
func (l *Lowering) Nested(one *syntax.Rule, name string, p [2]fieldpath.Path, every string) []Phased {
	n := one.Args[name]
	if n == nil {
		return nil
	}
	rules := syntax.ReadRules(n, l.Mistakes, name)
	inner, code := l.Enter(p), program.OpWithin
	if every != "" {
		inner, code = l.Enter([2]fieldpath.Path{p[0].Join(every), p[1].Join(every)}), program.OpEach
	}
	b := inner.Block(rules)
	if len(b) == 0 {
		return nil
	}
	return []Phased{{program.Operation{Code: code, Path: p[l.Dir], Args: [10]program.Arg{b, program.Bit(every == fieldpath.Members)}}, Shaping}}
}

// Elements lowers a rule whose paths have steps to every element or member: lower gets the paths
// within the elements.
func (l *Lowering) Elements(one *syntax.Rule, p [2]fieldpath.Path, lower func(l *Lowering, p [2]fieldpath.Path) []Phased) []Phased {
	i := slices.IndexFunc(p[0], fieldpath.IsEvery)
	if j := slices.IndexFunc(p[1], fieldpath.IsEvery); i != j || i >= 0 && !p[0][:i+1].Equal(p[1][:i+1]) {
		l.Mistakes.At(one.Node, "%s and %s lead through different lists: move the list, with rules for its elements at each", p[0], p[1])
		return nil
	}
	if i < 0 {
		return lower(l, p)
	}
	inner := l.Enter([2]fieldpath.Path{p[0][:i+1], p[1][:i+1]})
	within := inner.Elements(one, [2]fieldpath.Path{p[0][i+1:], p[1][i+1:]}, lower)
	slices.SortStableFunc(within, func(a, b Phased) int { return int(a.phase - b.phase) })
	var all []Phased
	for len(within) > 0 { // each phase goes through the elements: empty objects are noted before values are taken out of any
		n := slices.IndexFunc(within, func(op Phased) bool { return op.phase != within[0].phase })
		if n < 0 {
			n = len(within)
		}
		var b program.Block
		for _, op := range within[:n] {
			b = append(b, op.Operation)
		}
		all = append(all, Phased{program.Operation{Code: program.OpEach, Path: p[0][:i], Args: [10]program.Arg{b, program.Bit(p[0][i] == fieldpath.Members)}}, within[0].phase})
		within = within[n:]
	}
	return all
}

// checkOneWay reports a rule whose direction is wrong.
func (l *Lowering) checkOneWay(one *syntax.Rule) {
	n := one.Args["oneWay"]
	switch to, _ := one.OneWay(l.Mistakes); {
	case n == nil:
	case len(l.Prefix[0]) > 0:
		l.Mistakes.At(n, "oneWay is not for a rule within another one: write a rule of its own, with the path from the object")
	case to != "" && to != l.step.From && to != l.step.To:
		l.Mistakes.At(n, "to is %q, but must be %s or %s, the versions of these rules", to, l.step.From, l.step.To)
	}
}

// against reports whether a rule is for the other direction only.
func (l *Lowering) against(one *syntax.Rule) bool { return !l.Leads(one, l.Dir) }

// Leads reports whether a rule converts from the version of a side.
func (s *Scope) Leads(one *syntax.Rule, side int) bool {
	to, _ := one.OneWay(&syntax.Mistakes{})
	return to == "" || to == s.Version(1-side)
}

// removed returns the operations of a rule that is for the other direction only: its fields, which
// only the version that is converted from has, go. Fields of other rules stay for them.
func (l *Lowering) removed(one *syntax.Rule, claims []Claim) (ops []Phased) {
	for _, c := range claims {
		if c.Rule != one || c.Side != l.Dir || c.Phase != Shaping || slices.ContainsFunc(claims, func(other Claim) bool {
			return other.Rule != one && other.Side == l.Dir && (other.Path.Within(c.Path) || c.Path.Within(other.Path))
		}) {
			continue
		}
		ops = append(ops, l.Elements(one, [2]fieldpath.Path{c.Path, c.Path}, func(_ *Lowering, p [2]fieldpath.Path) []Phased {
			return Stashing.Of(program.Operation{Code: program.OpRemove, Path: p[0]})
		})...)
	}
	return ops
}

// opposite reports whether two rules are for one direction each: the author writes both.
func opposite(one, other *syntax.Rule) bool {
	a, _ := one.OneWay(&syntax.Mistakes{})
	b, _ := other.OneWay(&syntax.Mistakes{})
	return a != "" && b != "" && a != b
}
