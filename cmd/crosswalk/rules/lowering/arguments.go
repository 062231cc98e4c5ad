package lowering

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// Word returns one of some words; the first one if the member is absent.
func (s *Scope) Word(one *syntax.Rule, name string) string {
	var words []string
	for _, m := range one.Verb.Members {
		if m.Name == name {
			words = m.Words
		}
	}
	n := one.Args[name]
	if n == nil {
		return words[0]
	}
	if n.Kind != yaml.ScalarNode || !slices.Contains(words, n.Value) {
		s.Mistakes.At(n, "%s is %s, but must be %s", name, syntax.NodeText(n), syntax.Alternatives(words))
		return words[0]
	}
	return n.Value
}

func (s *Scope) Bool(one *syntax.Rule, name string, otherwise bool) bool {
	n := one.Args[name]
	return n == nil && otherwise || n != nil && s.flag(n, name)
}

// flag reads a boolean.
func (s *Scope) flag(n *yaml.Node, name string) bool {
	if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" || n.ShortTag() != "!!bool" {
		s.Mistakes.At(n, "%s is %s, but must be true or false", name, syntax.NodeText(n))
	}
	return n.Value == "true"
}

func (s *Scope) Text(one *syntax.Rule, name string) string {
	return syntax.Text(one.Args[name], s.Mistakes, name)
}

// Side returns the side of the version in a member "in"; -1 if it is wrong.
func (s *Scope) Side(one *syntax.Rule) int {
	n := one.Args["in"]
	switch syntax.Text(n, s.Mistakes, "in") {
	case s.step.From:
		return 0
	case s.step.To:
		return 1
	}
	if n != nil {
		s.Mistakes.At(n, "in is %s, but must be %s or %s, the versions of these rules", syntax.NodeText(n), s.step.From, s.step.To)
	}
	return -1
}

// Json reads a value of any type as JSON.
func (s *Scope) Json(one *syntax.Rule, name string) program.JSON {
	n := one.Args[name]
	if n == nil {
		return nil
	}
	raw, err := plainyaml.AppendJSON(nil, n, plainyaml.JSONNumber)
	if err != nil {
		s.Mistakes.Wrong(n, err)
	}
	return raw
}
