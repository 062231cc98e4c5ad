package rules

import (
	"go.yaml.in/yaml/v3"
)

// ledger records the fields that the rules of a direction name, the values that they stash, and the
// fields that the module has to declare for them. Its methods answer questions about the other rules.
type ledger struct {
	scope
	file *File

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

// claim notes that a rule is about a path on a side, and declares it.
func (l *ledger) claim(one *rule, side int, p path, ph phase) {
	whole := l.prefix[side].join(p)
	if len(whole) > 1 && whole[0] == "metadata" && whole[1] != "labels" && whole[1] != "annotations" {
		l.r.at(one.node, "%s cannot be converted: of the metadata, only labels and annotations can", whole)
	}
	*l.claims = append(*l.claims, claim{side, whole, one, ph})
	*l.all = append(*l.all, claim{side, whole, one, ph})
	l.declare(side, whole)
}

// declare adds a path to the fields of a version. A path to elements declares their list.
func (l *ledger) declare(side int, p path) {
	for len(p) > 0 && isEvery(p.last()) {
		p = p.parent()
	}
	if len(p) == 0 {
		return
	}
	l.file.addField(l.version(side), p)
}

// annotationOf returns the members of {annotation: NAME} and {annotation: NAME, key: NAME}.
func (l *ledger) annotationOf(n *yaml.Node, members ...member) (name, key string) {
	args := mapping(n, l.r, "the annotation", append([]member{{name: "annotation", required: true, about: "the annotation's name"}}, members...))
	name, key = textOf(args["annotation"], l.r, "annotation"), textOf(args["key"], l.r, "key")
	if len(l.prefix[0]) > 0 {
		l.r.at(n, "an annotation cannot keep parts of several elements: leave it out, and they are kept in the stash")
	}
	if name != "" {
		for side := range 2 {
			l.declare(side, path{"metadata", "annotations", name})
		}
	}
	return name, key
}

// checkOverlap reports rules that are about the same field: their order would matter, and no order
// is right in both directions.
func (l *ledger) checkOverlap(one *rule, before int) {
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
func (l *ledger) checkTaken(c claim, before int) {
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
