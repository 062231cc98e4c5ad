package rules

import (
	"fmt"
	"slices"
)

// lowering derives the operations of one direction of a step from rules. Each verb has a method: see
// rule.
type lowering struct{ ledger }

// newLowering returns the lowering of a direction that knows nothing yet of the other directions.
func newLowering(f *File, s *step, dir int, r *report, n *needs) *lowering {
	return &lowering{ledger{
		scope: scope{step: s, dir: dir, r: r}, file: f,
		claims: &[]claim{}, all: &[]claim{}, stashed: &[]claim{}, needs: n, notes: new(bool),
	}}
}

// Bounds of the work for a file: the rules of a list, of which half may be about one version alone,
// and the fields that all rules of a pair of versions name.
const (
	maxRules  = 2 * maxOperations
	maxClaims = 4 * maxFields
)

// phase orders the operations of a block: stashed values go first, while they are at their place in
// the object, and defaults and constants go last. Objects that were empty before are noted before
// values are taken out of others; those that are left empty go when nothing reads them any more.
type phase int

const (
	noting phase = iota
	stashing
	thinning // constants in objects that may be filled then, and go on the way back
	shaping
	cleaning
	clearing      // constants in objects that may go then
	cleaningAgain // these objects
	giving
)

// phased is an operation and its phase.
type phased struct {
	operation
	phase phase
}

// block lowers rules to a block.
func (l *lowering) block(rules []*rule) (b block) {
	var all []phased
	var groups []group
	if len(rules) > maxRules {
		l.r.at(rules[maxRules].node, "the list has %d rules of at most %d: split them into several modules", len(rules), maxRules)
		return nil
	}
	for _, one := range rules {
		if len(*l.all) > maxClaims {
			l.r.at(one.node, "the rules before this one name more than %d fields: split them into several modules", maxClaims)
			return nil
		}
		before := len(*l.claims)
		ops := l.rule(one)
		if w := one.args["when"]; w != nil && len(ops) > 0 {
			c := l.condition(one, w)
			for i := range ops {
				ops[i].condition = c
			}
		}
		l.checkOverlap(one, before)
		groups = append(groups, l.grouped(one, ops, (*l.claims)[before:]))
	}
	for _, g := range l.ordered(groups) {
		all = append(all, g.ops...)
	}
	all = append(all, l.emptied()...)
	slices.SortStableFunc(all, func(a, b phased) int { return int(a.phase - b.phase) })
	for _, op := range all {
		b = append(b, op.operation)
	}
	if len(b) > maxOperations {
		l.r.at(l.step.node, "the rules make %d operations of at most %d: split them into several modules", len(b), maxOperations)
	}
	l.checkConditions(rules)
	return b
}

// rule lowers one rule.
func (l *lowering) rule(one *rule) []phased {
	switch one.verb.name {
	case "rename", "move":
		return l.move(one)
	case "split":
		return l.split(one, 0)
	case "join":
		return l.split(one, 1)
	case "splitList":
		return l.splitList(one, 0)
	case "joinList":
		return l.splitList(one, 1)
	case "listFromMap":
		return l.listFromMap(one, 0)
	case "mapFromList":
		return l.listFromMap(one, 1)
	case "translate":
		return l.translate(one)
	case "convert":
		return l.convert(one)
	case "wrap":
		return l.wrap(one, 0)
	case "unwrap":
		return l.wrap(one, 1)
	case "nest":
		return l.nest(one, 0)
	case "unnest":
		return l.nest(one, 1)
	case "default", "constant":
		return l.give(one)
	case "drop":
		return l.drop(one)
	case "each":
		return l.each(one)
	}
	panic(fmt.Sprintf("the verb %s is in the table only", one.verb.name))
}

// enter returns the lowering of rules about the value at a path.
func (l *lowering) enter(p [2]path) *lowering {
	inner := *l
	for side := range p {
		inner.prefix[side] = l.prefix[side].join(p[side])
	}
	return &inner
}

// subrules returns the lowering of rules within a rule: they overlap with the rule, as they should.
func (l *lowering) subrules() *lowering {
	inner := *l
	inner.claims = &[]claim{}
	return &inner
}

// nested lowers the rules for the elements of the value at p, or, if it is an object, for its members.
func (l *lowering) nested(one *rule, name string, p [2]path, every string) []phased {
	n := one.args[name]
	if n == nil {
		return nil
	}
	rules := readRules(n, l.r, name)
	inner, code := l.enter(p), opWithin
	if every != "" {
		inner, code = l.enter([2]path{p[0].join(path{every}), p[1].join(path{every})}), opEach
	}
	b := inner.block(rules)
	if len(b) == 0 {
		return nil
	}
	return []phased{{operation{code: code, path: p[l.dir], args: [10]arg{b, bit(every == everyMember)}}, shaping}}
}

// elements lowers a rule whose paths have steps to every element or member: lower gets the paths
// within the elements.
func (l *lowering) elements(one *rule, p [2]path, lower func(l *lowering, p [2]path) []phased) []phased {
	i := slices.IndexFunc(p[0], isEvery)
	if j := slices.IndexFunc(p[1], isEvery); i != j || i >= 0 && !p[0][:i+1].equal(p[1][:i+1]) {
		l.r.at(one.node, "%s and %s lead through different lists: move the list, with rules for its elements at each", p[0], p[1])
		return nil
	}
	if i < 0 {
		return lower(l, p)
	}
	inner := l.enter([2]path{p[0][:i+1], p[1][:i+1]})
	within := inner.elements(one, [2]path{p[0][i+1:], p[1][i+1:]}, lower)
	slices.SortStableFunc(within, func(a, b phased) int { return int(a.phase - b.phase) })
	var all []phased
	for len(within) > 0 { // each phase goes through the elements: empty objects are noted before values are taken out of any
		n := slices.IndexFunc(within, func(op phased) bool { return op.phase != within[0].phase })
		if n < 0 {
			n = len(within)
		}
		var b block
		for _, op := range within[:n] {
			b = append(b, op.operation)
		}
		all = append(all, phased{operation{code: opEach, path: p[0][:i], args: [10]arg{b, bit(p[0][i] == everyMember)}}, within[0].phase})
		within = within[n:]
	}
	return all
}
