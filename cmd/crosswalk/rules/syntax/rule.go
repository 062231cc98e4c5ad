package syntax

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/nearest"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// Rule is one rule: its verb, and its members by name.
type Rule struct {
	Node *yaml.Node // the mapping
	Verb *vocabulary.Verb
	Args map[string]*yaml.Node // the verb's own value included
}

func ReadRules(n *yaml.Node, r *Mistakes, name string) (rules []*Rule) {
	for _, item := range Items(n, r, name) {
		if one := readRule(item, r); one != nil {
			rules = append(rules, one)
		}
	}
	return rules
}

// readRule returns nil if the node is not a rule.
func readRule(n *yaml.Node, r *Mistakes) *Rule {
	if n.Kind != yaml.MappingNode {
		r.At(n, "a rule is a mapping such as {rename: spec.colour, to: spec.color}, not %s", plainyaml.KindOf(n))
		return nil
	}
	one := &Rule{Node: n}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := slices.IndexFunc(vocabulary.Verbs, func(v vocabulary.Verb) bool { return v.Name == n.Content[i].Value })
		if at < 0 {
			continue
		}
		// "each" is a rule, and a member of other rules.
		if one.Verb != nil && vocabulary.Verbs[at].Name != "each" {
			if one.Verb.Name != "each" {
				r.At(n.Content[i], "a rule does one thing: %s and %s are two rules", one.Verb.Name, vocabulary.Verbs[at].Name)
				return nil
			}
			one.Verb = nil
		}
		if one.Verb == nil {
			one.Verb = &vocabulary.Verbs[at]
		}
	}
	if one.Verb == nil {
		var names []string
		for _, v := range vocabulary.Verbs {
			names = append(names, v.Name)
		}
		for i := 0; i < len(n.Content); i += 2 {
			if near := nearest.To(n.Content[i].Value, names); near != "" {
				r.At(n.Content[i], "there is no rule %s: did you mean %s?", Quote(n.Content[i].Value), near)
				return nil
			}
		}
		has := "{}"
		if len(n.Content) > 0 {
			has = Quote(n.Content[0].Value)
		}
		r.At(n, "the rule has no verb: it begins with %s, and needs one of %s", has, strings.Join(names, ", "))
		return nil
	}
	own := one.Verb.Member
	own.Required = true
	one.Args = Mapping(n, r, "a rule "+own.Name, append([]vocabulary.Member{own}, one.Verb.Allowed()...))
	return one
}

// OneWay returns the version that a rule converts to, if it is for one direction only, and the reason
// why nobody misses the other one; "" otherwise.
func (one *Rule) OneWay(r *Mistakes) (to, reason string) {
	n := one.Args["oneWay"]
	if n == nil {
		return "", ""
	}
	args := Mapping(n, r, "oneWay", vocabulary.DirectionMembers)
	return Text(args["to"], r, "to"), Text(args["reason"], r, "reason")
}

// IsAbsent reports whether a value of a table is a field that is not there.
func IsAbsent(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "absent"
}
