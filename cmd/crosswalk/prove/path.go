package prove

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
)

// path is the names that lead to a value; "[]" is every element of a list, "*" every member of a map.
type path []string

const (
	everyElement = "[]"
	everyMember  = "*"
)

func (p path) String() string {
	return fieldpath.Path(p).String()
}

func (p path) join(more ...string) path { return slices.Concat(p, more) }

func (p path) parent() path { return p[:max(0, len(p)-1)] }

// last returns the last name; "" of the value itself.
func (p path) last() string {
	if len(p) == 0 {
		return ""
	}
	return p[len(p)-1]
}

// common returns the number of names with which both paths begin.
func (p path) common(q path) int {
	n := 0
	for n < len(p) && n < len(q) && p[n] == q[n] {
		n++
	}
	return n
}

// related reports whether one of two values is within the other.
func (p path) related(q path) bool {
	n := p.common(q)
	return n == len(p) || n == len(q)
}

// lookup returns the schema of the value at a path; nil if the schema does not name each step.
func lookup(s *schema.Structural, p path) *schema.Structural {
	for _, name := range p {
		if s = child(s, name); s == nil {
			return nil
		}
	}
	return s
}

// child returns the schema of a member, of the elements or of the members; nil if there is none.
func child(s *schema.Structural, name string) *schema.Structural {
	switch {
	case s == nil:
		return nil
	case name == everyElement && s.Type == "array":
		return s.Items
	case name == everyMember && s.Type == "object" && s.AdditionalProperties != nil:
		return s.AdditionalProperties.Structural
	case name == everyElement || name == everyMember || s.Type != "object":
		return nil
	}
	if property, ok := s.Properties[name]; ok {
		return &property
	}
	return nil
}
