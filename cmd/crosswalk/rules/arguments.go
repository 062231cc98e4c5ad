package rules

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// word returns one of some words; the first one if the member is absent.
func (s *scope) word(one *rule, name string) string {
	var words []string
	for _, m := range one.verb.members {
		if m.name == name {
			words = m.words
		}
	}
	n := one.args[name]
	if n == nil {
		return words[0]
	}
	if n.Kind != yaml.ScalarNode || !slices.Contains(words, n.Value) {
		s.r.at(n, "%s is %s, but must be %s", name, nodeText(n), list(words))
		return words[0]
	}
	return n.Value
}

func (s *scope) bool(one *rule, name string, otherwise bool) bool {
	n := one.args[name]
	switch {
	case n == nil:
		return otherwise
	case n.Kind == yaml.ScalarNode && (n.Value == "true" || n.Value == "false") && n.ShortTag() == "!!bool":
		return n.Value == "true"
	}
	s.r.at(n, "%s is %s, but must be true or false", name, nodeText(n))
	return otherwise
}

// flag reads a boolean.
func (s *scope) flag(n *yaml.Node, name string) bool {
	if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" {
		s.r.at(n, "%s is %s, but must be true or false", name, nodeText(n))
	}
	return n.Value == "true"
}

func (s *scope) text(one *rule, name string) string { return textOf(one.args[name], s.r, name) }

// side returns the side of the version in a member "in"; -1 if it is wrong.
func (s *scope) side(one *rule) int {
	n := one.args["in"]
	switch textOf(n, s.r, "in") {
	case s.step.from:
		return 0
	case s.step.to:
		return 1
	}
	if n != nil {
		s.r.at(n, "in is %s, but must be %s or %s, the versions of these rules", nodeText(n), s.step.from, s.step.to)
	}
	return -1
}

// value reads a value of any type.
func (s *scope) value(n *yaml.Node) value {
	raw, err := plainyaml.AppendJSON(nil, n, plainyaml.JSONNumber)
	if err != nil {
		s.r.wrong(n, err)
		return value{kind: null, text: "null"}
	}
	v := value{text: string(raw)}
	switch raw[0] {
	case 'n':
		v.kind = null
	case 't', 'f':
		v.kind = boolean
	case '"':
		v.kind, v.text = str, n.Value
	case '[':
		v.kind = array
	case '{':
		v.kind = object
	default:
		v.kind = number
	}
	if strings.ContainsRune(v.text, 0) {
		s.r.at(n, "the value has a NUL character")
	}
	return v
}

// json reads a value of any type as JSON.
func (s *scope) json(one *rule, name string) jsonRaw {
	n := one.args[name]
	if n == nil {
		return nil
	}
	raw, err := plainyaml.AppendJSON(nil, n, plainyaml.JSONNumber)
	if err != nil {
		s.r.wrong(n, err)
	}
	return raw
}

// nodeText names a node in a message: a scalar by its text.
func nodeText(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return shown(n.Value)
	}
	return plainyaml.KindOf(n)
}
