package rules

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// scope is the place that the rules of a block are about. Its methods read the members of rules, here
// and in arguments.go. A side is one of the step's versions: 0 is from, and 1 is to; the path after a
// verb is on side 0, and the path at "to" on side 1.
type scope struct {
	step *step
	dir  int // the side that is converted from
	r    *report

	prefix [2]path // from the objects to the value that the rules are about, on both sides
	mapped bool    // the elements of a list are a map's in the object: they have no pointers
}

func (s *scope) version(side int) string {
	if side == 0 {
		return s.step.from
	}
	return s.step.to
}

// inList reports whether the rules are about elements.
func (s *scope) inList() bool { return slices.ContainsFunc(s.prefix[0], isEvery) }

// path reads a path; nil if it is wrong.
func (s *scope) path(n *yaml.Node) path {
	if n == nil {
		return nil
	}
	text := textOf(n, s.r, "a path")
	if text == "" {
		return nil
	}
	p, err := parsePath(text)
	if err != nil {
		s.r.at(n, "%v", err)
		return nil
	}
	if len(p) == 0 && len(s.prefix[0]) == 0 {
		s.r.at(n, `"." is an element of a list: the object as a whole cannot be converted`)
		return nil
	}
	return p
}

// both returns the paths of a rule on both sides.
func (s *scope) both(one *rule) (p [2]path, ok bool) {
	p[0] = s.path(one.args[one.verb.name])
	p[1] = p[0]
	if to := one.args["to"]; to != nil {
		p[1] = s.path(to)
	}
	if p[0] == nil || p[1] == nil {
		return p, false
	}
	if !p[0].equal(p[1]) && (p[0].within(p[1]) || p[1].within(p[0])) {
		s.r.at(one.node, "%s cannot become %s: one is within the other; see nest and unnest", p[0], p[1])
		return p, false
	}
	return p, true
}

// kept returns how many keys of a path lead to objects that stay if they are empty: those that the
// other paths lead through, too, and spec and status.
func (s *scope) kept(p path, others ...path) int {
	n := 0
	if len(s.prefix[0]) == 0 {
		n = 1
	}
	for _, q := range others {
		n = max(n, p.common(q))
	}
	return n
}

// perVersion reports whether a condition is stated for each version.
func (s *scope) perVersion(n *yaml.Node) bool {
	if n.Kind == yaml.MappingNode && len(n.Content) > 1 && memberOf(n, "path") == nil && n.Content[1].Kind == yaml.MappingNode {
		return true
	}
	return memberOf(n, s.step.from) != nil || memberOf(n, s.step.to) != nil
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
