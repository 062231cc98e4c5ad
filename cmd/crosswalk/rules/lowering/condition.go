package lowering

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
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
func (l *Ledger) condition(one *syntax.Rule, n *yaml.Node) *program.Condition {
	if l.perVersion(n) {
		args := syntax.Mapping(n, l.Mistakes, "when", []vocabulary.Member{{Name: l.step.From}, {Name: l.step.To}})
		if n = args[l.Version(l.Dir)]; n == nil {
			if one.Verb.Inverse != "" {
				l.Mistakes.At(one.Args["when"], "the condition cannot be inverted: it has no member %s", l.Version(l.Dir))
			}
			return nil
		}
	}
	return allOf(l, n, "when")
}

// Test reads a condition, or a list of which all have to hold.
func (l *Lowering) Test(n *yaml.Node, name string) *program.Condition {
	return allOf(&l.Ledger, n, name)
}

func allOf(l *Ledger, n *yaml.Node, name string) *program.Condition {
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		l.Mistakes.At(n, "%s is empty: it needs a condition, or several", name)
	}
	var all *program.Condition
	for _, item := range slices.Backward(conditions(n)) {
		if c := l.oneCondition(item); c != nil {
			c.And, all = all, c
		}
	}
	return all
}

func (l *Ledger) oneCondition(n *yaml.Node) *program.Condition {
	args := syntax.Mapping(n, l.Mistakes, "a condition", vocabulary.ConditionMembers)
	if args["path"] == nil {
		return nil
	}
	c := &program.Condition{Path: l.Path(args["path"])}
	if slices.ContainsFunc(c.Path, fieldpath.IsEvery) {
		l.Mistakes.At(args["path"], "a condition is about one value: put the rule into an each, and the path begins at the element")
	}
	l.Declare(l.Dir, c.Path)
	tests := 0
	if e := args["equals"]; e != nil {
		tests, c.Values = tests+1, []program.Value{ReadValue(e, l.Mistakes)}
	}
	if in := args["in"]; in != nil {
		tests++
		for _, item := range syntax.Items(in, l.Mistakes, "in") {
			c.Values = append(c.Values, ReadValue(item, l.Mistakes))
		}
		if len(c.Values) == 0 {
			l.Mistakes.At(in, "in is empty: it needs the values that the field may have")
		}
	}
	if exists := args["exists"]; exists != nil {
		tests++
		c.Negate = !l.flag(exists, "exists")
	}
	if not := args["not"]; not != nil && l.flag(not, "not") {
		c.Negate = !c.Negate
	}
	if tests != 1 {
		l.Mistakes.At(n, "a condition needs one of equals, in and exists")
	}
	return c
}

// checkConditions reports conditions on fields that the versions have at different places.
func (l *Ledger) checkConditions(rules []*syntax.Rule) {
	for _, one := range rules {
		w := one.Args["when"]
		if w == nil || one.Verb.Inverse == "" || l.perVersion(w) {
			continue
		}
		for _, n := range conditions(w) {
			if p := l.Path(yamlfile.Member(n, "path")); p != nil && !l.inBoth(w, p) {
				return
			}
		}
	}
}

// inBoth reports a condition about a field that a rule converts.
func (l *Ledger) inBoth(w *yaml.Node, p fieldpath.Path) bool {
	for _, c := range *l.claims {
		whole := l.Prefix[c.Side].Join(p...)
		if c.Phase == Shaping && (whole.Within(c.Path) || c.Path.Within(whole)) {
			l.Mistakes.At(w, "the condition cannot be inverted: %s is converted by the rule at line %d. State it for each version: when: {%s: {path, …}, %s: {path, …}}", p, c.Rule.Node.Line, l.step.From, l.step.To)
			return false
		}
	}
	return true
}
