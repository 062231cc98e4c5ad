package rules

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// rule is one rule: its verb, and its members by name.
type rule struct {
	node *yaml.Node // the mapping
	verb *verb
	args map[string]*yaml.Node // the verb's own value included
}

func readRules(n *yaml.Node, r *report, name string) (rules []*rule) {
	for _, item := range items(n, r, name) {
		if one := readRule(item, r); one != nil {
			rules = append(rules, one)
		}
	}
	return rules
}

// readRule returns nil if the node is not a rule.
func readRule(n *yaml.Node, r *report) *rule {
	if n.Kind != yaml.MappingNode {
		r.at(n, "a rule is a mapping such as {rename: spec.colour, to: spec.color}, not %s", plainyaml.KindOf(n))
		return nil
	}
	one := &rule{node: n}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := slices.IndexFunc(verbs, func(v verb) bool { return v.name == n.Content[i].Value })
		if at < 0 {
			continue
		}
		// "each" is a rule, and a member of other rules.
		if one.verb != nil && verbs[at].name != "each" {
			if one.verb.name != "each" {
				r.at(n.Content[i], "a rule does one thing: %s and %s are two rules", one.verb.name, verbs[at].name)
				return nil
			}
			one.verb = nil
		}
		if one.verb == nil {
			one.verb = &verbs[at]
		}
	}
	if one.verb == nil {
		var names []string
		for _, v := range verbs {
			names = append(names, v.name)
		}
		for i := 0; i < len(n.Content); i += 2 {
			if near := nearest(n.Content[i].Value, names); near != "" {
				r.at(n.Content[i], "there is no rule %s: did you mean %s?", shown(n.Content[i].Value), near)
				return nil
			}
		}
		has := "{}"
		if len(n.Content) > 0 {
			has = shown(n.Content[0].Value)
		}
		r.at(n, "the rule has no verb: it begins with %s, and needs one of %s", has, strings.Join(names, ", "))
		return nil
	}
	own := one.verb.member
	own.required = true
	one.args = mapping(n, r, "a rule "+own.name, append([]member{own, when}, one.verb.members...))
	return one
}
