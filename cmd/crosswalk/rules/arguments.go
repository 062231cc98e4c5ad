package rules

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// word returns one of some words; the first one if the member is absent.
func (l *lowering) word(one *rule, name string) string {
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
		l.r.at(n, "%s is %s, but must be %s", name, nodeText(n), list(words))
		return words[0]
	}
	return n.Value
}

// nodeText names a node in a message: a scalar by its text.
func nodeText(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return shown(n.Value)
	}
	return plainyaml.KindOf(n)
}

func (l *lowering) bool(one *rule, name string, otherwise bool) bool {
	n := one.args[name]
	switch {
	case n == nil:
		return otherwise
	case n.Kind == yaml.ScalarNode && (n.Value == "true" || n.Value == "false") && n.ShortTag() == "!!bool":
		return n.Value == "true"
	}
	l.r.at(n, "%s is %s, but must be true or false", name, nodeText(n))
	return otherwise
}

func (l *lowering) text(one *rule, name string) string { return textOf(one.args[name], l.r, name) }

// side returns the side of the version in a member "in"; -1 if it is wrong.
func (l *lowering) side(one *rule) int {
	n := one.args["in"]
	switch textOf(n, l.r, "in") {
	case l.step.from:
		return 0
	case l.step.to:
		return 1
	}
	if n != nil {
		l.r.at(n, "in is %s, but must be %s or %s, the versions of these rules", nodeText(n), l.step.from, l.step.to)
	}
	return -1
}

// value reads a value of any type.
func (l *lowering) value(n *yaml.Node) value {
	raw, err := plainyaml.AppendJSON(nil, n, plainyaml.JSONNumber)
	if err != nil {
		l.r.wrong(n, err)
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
		l.r.at(n, "the value has a NUL character")
	}
	return v
}

// json reads a value of any type as JSON.
func (l *lowering) json(one *rule, name string) jsonRaw {
	n := one.args[name]
	if n == nil {
		return nil
	}
	raw, err := plainyaml.AppendJSON(nil, n, plainyaml.JSONNumber)
	if err != nil {
		l.r.wrong(n, err)
	}
	return raw
}

// annotationOf returns the members of {annotation: NAME} and {annotation: NAME, key: NAME}.
func (l *lowering) annotationOf(n *yaml.Node, members ...member) (name, key string) {
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

// perVersion reports whether a condition is stated for each version.
func (l *lowering) perVersion(n *yaml.Node) bool {
	if n.Kind == yaml.MappingNode && len(n.Content) > 1 && memberOf(n, "path") == nil && n.Content[1].Kind == yaml.MappingNode {
		return true
	}
	return memberOf(n, l.step.from) != nil || memberOf(n, l.step.to) != nil
}

// condition reads the condition of a rule, for the version that is converted from.
func (l *lowering) condition(one *rule, n *yaml.Node) *condition {
	if l.perVersion(n) {
		args := mapping(n, l.r, "when", []member{{name: l.step.from}, {name: l.step.to}})
		if n = args[l.version(l.dir)]; n == nil {
			if one.verb.inverse != "" {
				l.r.at(one.args["when"], "the condition cannot be inverted: it has no member %s", l.version(l.dir))
			}
			return nil
		}
	}
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

// flag reads a boolean.
func (l *lowering) flag(n *yaml.Node, name string) bool {
	if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" {
		l.r.at(n, "%s is %s, but must be true or false", name, nodeText(n))
	}
	return n.Value == "true"
}
