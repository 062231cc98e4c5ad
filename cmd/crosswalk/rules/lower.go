package rules

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// lowering derives the operations of one direction of a step. A side is one of the step's versions:
// 0 is from, and 1 is to; the path after a verb is on side 0, and the path at "to" on side 1.
type lowering struct {
	file *File
	step *step
	dir  int // the side that is converted from
	r    *report

	prefix [2]path // from the objects to the value that the rules are about, on both sides
	mapped bool    // the elements of a list are a map's in the object: they have no pointers

	claims  *[]claim // of the block
	all     *[]claim // of the step
	stashed *[]claim // values that the direction takes out of the object
	needs   *needs
	notes   *bool // the direction notes empty objects

	// Known once all steps have been lowered for the first time.
	known         []claim     // all claims of the step
	before, later []direction // the other directions of the way
}

// needs are the fields that a module has to declare besides its rules' paths.
type needs struct {
	stash bool // the annotation of the stash
	uid   bool // metadata.uid, which tells fragments
	whole bool // everything: a hash covers the whole object
}

// claim is a field that a rule reads or writes.
type claim struct {
	side  int
	path  path // from the object
	rule  *rule
	phase phase
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

// orElse completes the remedy for a rule that cannot do without the stash.
func orElse(one *rule) string {
	if slices.Contains([]string{"wrap", "unwrap"}, one.verb.name) {
		return "rest: {annotation: NAME, key: NAME}"
	}
	return ""
}

// checkOverlap reports rules that are about the same field: their order would matter, and no order
// is right in both directions.
func (l *lowering) checkOverlap(one *rule, before int) {
	for _, c := range (*l.claims)[before:] {
		if c.rule != one || c.phase != shaping {
			l.checkTaken(c, before)
			continue
		}
		for _, other := range (*l.claims)[:before] {
			if other.phase != shaping || other.side != c.side || other.rule.args["when"] != nil && one.args["when"] != nil {
				continue
			}
			if c.path.within(other.path) || other.path.within(c.path) {
				l.r.at(one.node, "%s is converted by the rule at line %d already: write one rule for a field, with rules for its elements or members at each or rules", c.path, other.rule.node.Line)
				return
			}
		}
	}
}

// checkTaken reports a field that two rules take out of the object, of which one only gives it a
// place in the other version.
func (l *lowering) checkTaken(c claim, before int) {
	for _, other := range (*l.claims)[:before] {
		if c.phase != stashing || other.side != c.side || other.rule == c.rule || other.phase == giving || other.rule.args["when"] != nil || c.rule.args["when"] != nil {
			continue
		}
		if other.path.within(c.path) || other.phase == stashing && c.path.within(other.path) {
			l.r.at(c.rule.node, "%s is converted by the rule at line %d already: a dropped field is in one version only", other.path, other.rule.node.Line)
			return
		}
	}
}

// checkConditions reports conditions on fields that the versions have at different places.
func (l *lowering) checkConditions(rules []*rule) {
	for _, one := range rules {
		w := one.args["when"]
		if w == nil || one.verb.inverse == "" || l.perVersion(w) {
			continue
		}
		p := l.path(memberOf(w, "path"))
		if p == nil {
			continue
		}
		for _, c := range *l.claims {
			whole := l.prefix[c.side].join(p)
			if c.phase == shaping && (whole.within(c.path) || c.path.within(whole)) {
				l.r.at(w, "the condition cannot be inverted: %s is converted by the rule at line %d. State it for each version: when: {%s: {path, …}, %s: {path, …}}", p, c.rule.node.Line, l.step.from, l.step.to)
				return
			}
		}
	}
}

// claim notes that a rule is about a path on a side, and declares it.
func (l *lowering) claim(one *rule, side int, p path, ph phase) {
	whole := l.prefix[side].join(p)
	if len(whole) > 1 && whole[0] == "metadata" && whole[1] != "labels" && whole[1] != "annotations" {
		l.r.at(one.node, "%s cannot be converted: of the metadata, only labels and annotations can", whole)
	}
	*l.claims = append(*l.claims, claim{side, whole, one, ph})
	*l.all = append(*l.all, claim{side, whole, one, ph})
	l.declare(side, whole)
}

// declare adds a path to the fields of a version. A path to elements declares their list.
func (l *lowering) declare(side int, p path) {
	for len(p) > 0 && isEvery(p.last()) {
		p = p.parent()
	}
	if len(p) == 0 {
		return
	}
	l.file.addField(l.version(side), p)
}

func (l *lowering) version(side int) string {
	if side == 0 {
		return l.step.from
	}
	return l.step.to
}

// enter returns the lowering of rules about the value at a path.
func (l *lowering) enter(p [2]path) *lowering {
	inner := *l
	for side := range p {
		inner.prefix[side] = l.prefix[side].join(p[side])
	}
	return &inner
}

// path reads a path; nil if it is wrong.
func (l *lowering) path(n *yaml.Node) path {
	if n == nil {
		return nil
	}
	text := textOf(n, l.r, "a path")
	if text == "" {
		return nil
	}
	p, err := parsePath(text)
	if err != nil {
		l.r.at(n, "%v", err)
		return nil
	}
	if len(p) == 0 && len(l.prefix[0]) == 0 {
		l.r.at(n, `"." is an element of a list: the object as a whole cannot be converted`)
		return nil
	}
	return p
}

// both returns the paths of a rule on both sides.
func (l *lowering) both(one *rule) (p [2]path, ok bool) {
	p[0] = l.path(one.args[one.verb.name])
	p[1] = p[0]
	if to := one.args["to"]; to != nil {
		p[1] = l.path(to)
	}
	if p[0] == nil || p[1] == nil {
		return p, false
	}
	if !p[0].equal(p[1]) && (p[0].within(p[1]) || p[1].within(p[0])) {
		l.r.at(one.node, "%s cannot become %s: one is within the other; see nest and unnest", p[0], p[1])
		return p, false
	}
	return p, true
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
	var b block
	ph := shaping
	for _, op := range inner.elements(one, [2]path{p[0][i+1:], p[1][i+1:]}, lower) {
		b, ph = append(b, op.operation), op.phase
	}
	if len(b) == 0 {
		return nil
	}
	return []phased{{operation{code: opEach, path: p[0][:i], args: [10]arg{b, bit(p[0][i] == everyMember)}}, ph}}
}

// relocate returns the operation that brings a value to its place on the other side.
func (l *lowering) relocate(p [2]path) []phased {
	from, to := p[l.dir], p[1-l.dir]
	switch {
	case from.equal(to):
		return nil
	case len(from) == len(to) && from.parent().equal(to.parent()):
		return []phased{{operation{code: opRename, path: from, args: [10]arg{text(to.last())}}, shaping}}
	}
	return l.relocateLast(p)
}

// relocateLast does the same; the value becomes the last member even of the same object.
func (l *lowering) relocateLast(p [2]path) []phased {
	from, to := p[l.dir], p[1-l.dir]
	if from.equal(to) {
		return nil
	}
	return []phased{{operation{code: opMove, path: from, args: [10]arg{steps(to), word(l.kept(from, to))}}, shaping}}
}

// kept returns how many keys of a path lead to objects that stay if they are empty: those that the
// other paths lead through, too, and spec and status.
func (l *lowering) kept(p path, others ...path) int {
	n := 0
	if len(l.prefix[0]) == 0 {
		n = 1
	}
	for _, q := range others {
		n = max(n, p.common(q))
	}
	return n
}

// stashFor returns the pointers that a stashed value depends on: a path of the other version, or
// the list around the value. It notes the path that is stashed.
func (l *lowering) stashFor(one *rule, stashed path, p ...path) texts {
	l.needs.stash = true
	if whole := l.prefix[l.dir].join(stashed); len(whole) > 0 && whole[0] == "metadata" {
		l.r.at(one.node, "%s may have to be stashed, but the stash does not hold metadata: set %s", whole, map[string]string{
			"drop": "stash: false", "convert": "inexact: round or refuse", "split": "partial: leave or refuse", "join": "partial: leave or refuse",
		}[one.verb.name]+orElse(one))
	}
	*l.stashed = append(*l.stashed, claim{side: l.dir, path: l.prefix[l.dir].join(stashed), rule: one})
	list := texts{}
	for _, q := range p {
		list = l.depend(list, l.prefix[1-l.dir].join(q))
	}
	return list
}

// remember returns the pointers for a value that the stash keeps only where the rest of the rules can
// do without; nil where it cannot.
func (l *lowering) remember(at path, p ...path) arg {
	whole := l.prefix[l.dir].join(at)
	if l.known == nil || l.mapped || l.touched(whole) || len(whole) > 0 && whole[0] == "metadata" {
		return nil
	}
	l.needs.stash, *l.notes = true, true
	list := texts{}
	for _, q := range p {
		list = l.depend(list, l.prefix[1-l.dir].join(q))
	}
	return list
}

// depend adds a path of the other version to the pointers that a stashed value depends on. If the
// way goes on to more versions, the hash is that of the last one, and so are the pointers.
func (l *lowering) depend(list texts, p path) texts {
	all, version := []path{p}, l.version(1-l.dir)
	for _, d := range l.later {
		var next []path
		for _, q := range all {
			next = append(next, d.lead(q)...)
		}
		all, version = next, d.to
	}
	for _, q := range all {
		whole := q.plain() // of a path within elements, the list: a hash must see all of it
		if pointer := whole.pointer(); pointer != "" && !slices.Contains(list, pointer) {
			l.file.addHashed(version, whole)
			list = append(list, pointer)
		}
	}
	return list
}

// inList reports whether the rules are about elements.
func (l *lowering) inList() bool { return slices.ContainsFunc(l.prefix[0], isEvery) }

func bit(b bool) word {
	if b {
		return 1
	}
	return 0
}

// memberOf returns a member of a mapping; nil if there is none.
func memberOf(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
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
