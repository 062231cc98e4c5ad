package rules

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// conditions returns the conditions at when, or at one of its versions: one, or a list of which all
// have to hold.
func conditions(n *yaml.Node) []*yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

// condition reads the conditions of a rule, for the version that is converted from.
func (l *ledger) condition(one *rule, n *yaml.Node) *condition {
	if l.perVersion(n) {
		args := mapping(n, l.r, "when", []member{{name: l.step.from}, {name: l.step.to}})
		if n = args[l.version(l.dir)]; n == nil {
			if one.verb.inverse != "" {
				l.r.at(one.args["when"], "the condition cannot be inverted: it has no member %s", l.version(l.dir))
			}
			return nil
		}
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		l.r.at(n, "when is empty: it needs a condition, or several")
	}
	var all *condition
	for _, item := range slices.Backward(conditions(n)) {
		if c := l.oneCondition(item); c != nil {
			c.and, all = all, c
		}
	}
	return all
}

func (l *ledger) oneCondition(n *yaml.Node) *condition {
	args := mapping(n, l.r, "a condition", conditionMembers)
	if args["path"] == nil {
		return nil
	}
	c := &condition{path: l.path(args["path"])}
	if slices.ContainsFunc(c.path, isEvery) {
		l.r.at(args["path"], "a condition is about one value: put the rule into an each, and the path begins at the element")
	}
	l.declare(l.dir, l.prefix[l.dir].join(c.path))
	tests := 0
	if e := args["equals"]; e != nil {
		tests, c.values = tests+1, []value{l.value(e)}
	}
	if in := args["in"]; in != nil {
		tests++
		for _, item := range items(in, l.r, "in") {
			c.values = append(c.values, l.value(item))
		}
		if len(c.values) == 0 {
			l.r.at(in, "in is empty: it needs the values that the field may have")
		}
	}
	if exists := args["exists"]; exists != nil {
		tests++
		c.negate = !l.flag(exists, "exists")
	}
	if not := args["not"]; not != nil && l.flag(not, "not") {
		c.negate = !c.negate
	}
	if tests != 1 {
		l.r.at(n, "a condition needs one of equals, in and exists")
	}
	return c
}

// checkConditions reports conditions on fields that the versions have at different places.
func (l *ledger) checkConditions(rules []*rule) {
	for _, one := range rules {
		w := one.args["when"]
		if w == nil || one.verb.inverse == "" || l.perVersion(w) {
			continue
		}
		for _, n := range conditions(w) {
			if p := l.path(memberOf(n, "path")); p != nil && !l.inBoth(w, p) {
				return
			}
		}
	}
}

// inBoth reports a condition about a field that a rule converts.
func (l *ledger) inBoth(w *yaml.Node, p path) bool {
	for _, c := range *l.claims {
		whole := l.prefix[c.side].join(p)
		if c.phase == shaping && (whole.within(c.path) || c.path.within(whole)) {
			l.r.at(w, "the condition cannot be inverted: %s is converted by the rule at line %d. State it for each version: when: {%s: {path, …}, %s: {path, …}}", p, c.rule.node.Line, l.step.from, l.step.to)
			return false
		}
	}
	return true
}
