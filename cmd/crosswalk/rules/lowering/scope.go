package lowering

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// Scope is the place that the rules of a block are about. Its methods read the members of rules, here
// and in arguments.go. A side is one of the step's versions: 0 is from, and 1 is to; the path after a
// verb is on side 0, and the path at "to" on side 1.
type Scope struct {
	step     *Pair
	Dir      int // the side that is converted from
	Mistakes *syntax.Mistakes

	Prefix [2]fieldpath.Path // from the objects to the value that the rules are about, on both sides
	Mapped bool              // the elements of a list are a map's in the object: they have no pointers
}

func (s *Scope) Version(side int) string {
	if side == 0 {
		return s.step.From
	}
	return s.step.To
}

// InList reports whether the rules are about elements.
func (s *Scope) InList() bool { return slices.ContainsFunc(s.Prefix[0], fieldpath.IsEvery) }

// Path reads a path; nil if it is wrong.
func (s *Scope) Path(n *yaml.Node) fieldpath.Path {
	if n == nil {
		return nil
	}
	text := syntax.Text(n, s.Mistakes, "a path")
	if text == "" {
		return nil
	}
	p, err := fieldpath.Parse(text)
	if err != nil {
		s.Mistakes.At(n, "%v", err)
		return nil
	}
	if len(p) == 0 && len(s.Prefix[0]) == 0 {
		s.Mistakes.At(n, `"." is an element of a list: the object as a whole cannot be converted`)
		return nil
	}
	return p
}

// Both returns the paths of a rule on both sides.
func (s *Scope) Both(one *syntax.Rule) (p [2]fieldpath.Path, ok bool) {
	p[0] = s.Path(one.Args[one.Verb.Name])
	p[1] = p[0]
	if to := one.Args["to"]; to != nil {
		p[1] = s.Path(to)
	}
	if p[0] == nil || p[1] == nil {
		return p, false
	}
	if !p[0].Equal(p[1]) && (p[0].Within(p[1]) || p[1].Within(p[0])) {
		s.Mistakes.At(one.Node, "%s cannot become %s: one is within the other; see nest and unnest", p[0], p[1])
		return p, false
	}
	return p, true
}

// Kept returns how many keys of a path lead to objects that stay if they are empty: those that the
// other paths lead through, too, and spec and status.
func (s *Scope) Kept(p fieldpath.Path, others ...fieldpath.Path) int {
	n := 0
	if len(s.Prefix[0]) == 0 {
		n = 1
	}
	for _, q := range others {
		n = max(n, p.Common(q))
	}
	return n
}

// perVersion reports whether a condition is stated for each version.
func (s *Scope) perVersion(n *yaml.Node) bool {
	if n.Kind == yaml.MappingNode && len(n.Content) > 1 && yamlfile.Member(n, "path") == nil && n.Content[1].Kind == yaml.MappingNode {
		return true
	}
	return yamlfile.Member(n, s.step.From) != nil || yamlfile.Member(n, s.step.To) != nil
}
