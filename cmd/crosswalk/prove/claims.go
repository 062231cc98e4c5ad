package prove

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// placed is a rule and the paths of its field on both sides, from the value that the rules are about.
type placed struct {
	*rules.Statement
	at     [2]path
	block  *rules.Statement // the first rule of the list that the file has it in
	prefix path             // of the paths of the rule
	roots  [2]path          // to the value that the rules are about, from the object
	inCase bool             // it has a condition, or a rule around it has one, which holds in the case in hand
	mapped bool             // its field is in an element that is a member of a map in the other version

	dropped []path // of nest: the fields of its object that other rules drop
}

// where returns where the field of a side is, for messages.
func (r placed) where(side int) path { return r.roots[0].Join(r.at[side]...) }

// whole returns the path of the field of a side, from the object.
func (r placed) whole(side int) path { return r.roots[side].Join(r.at[side]...) }

// relocates reports whether the rule brings its field to another object.
func (r placed) relocates() bool {
	return !r.scatters() && len(r.at[0]) != len(r.at[1]) || r.common() != len(r.at[0].Parent())
}

// common returns the number of names that lead to both objects with the rule's field.
func (r placed) common() int { return r.at[0].Parent().Common(r.at[1].Parent()) }

// about reports whether the rule is about a field of the side.
func (r placed) about(side int) bool { return r.Verb != "drop" || r.Side == side }

// crosses reports whether the rule's field in one version has the place of another rule's in the other:
// one of them may overwrite what the other has still to read.
func (r placed) crosses(q placed) bool {
	return r.about(0) && q.about(1) && slices.ContainsFunc(r.fields(0), func(at path) bool { return slices.ContainsFunc(q.fields(1), at.Related) })
}

// scatters reports whether the rule splits a text into fields, not into an object of their own.
func (r placed) scatters() bool { return r.Verb == "split" && r.Absent == "" }

// fields returns the paths of the fields of a side that the rule is about.
func (r placed) fields(side int) (all []path) {
	if !r.scatters() || side == r.Side {
		return []path{r.at[side]}
	}
	for _, part := range r.Parts {
		all = append(all, r.prefix.Join(part...))
	}
	return all
}

// claims are the fields of a side that rules are about, by their names.
type claims struct {
	rule     *placed // nil: none is about this value as a whole
	children map[string]*claims
}

func (c *claims) child(name string) *claims {
	if c == nil {
		return nil
	}
	return c.children[name]
}

// whole reports whether a rule is about the value as a whole.
func (c *claims) whole() bool { return c != nil && c.rule != nil }

// within returns the claims of fields of an object.
func (c *claims) within(object path) *claims {
	for _, name := range object {
		c = c.child(name)
	}
	return c
}

// add adds a rule's field. It returns false if another rule is about it, about its inside, or about a
// value around it.
func (c *claims) add(p path, r *placed) bool {
	for _, name := range p {
		if c.rule != nil {
			return false
		}
		if c.children == nil {
			c.children = map[string]*claims{}
		}
		if c.children[name] == nil {
			c.children[name] = &claims{}
		}
		c = c.children[name]
	}
	if c.rule != nil || c.children != nil {
		return false
	}
	c.rule = r
	return true
}

// line returns the line of a rule among the claims, for messages; 0 if there is none.
func (c *claims) line() int {
	if c == nil {
		return 0
	}
	if c.rule != nil {
		return c.rule.Line
	}
	least := 0
	for _, inner := range c.children {
		if n := inner.line(); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// block reports whether all rules among the claims are in one list. The converter looks for empty
// objects list by list, when it has done the rules of another one.
func (c *claims) block(first *rules.Statement) bool {
	if c == nil {
		return true
	}
	if c.rule != nil && c.rule.block != first {
		return false
	}
	for _, inner := range c.children {
		if !inner.block(first) {
			return false
		}
	}
	return true
}

// expand returns the rules with their whole paths: rules for elements at the same place are rules
// about paths through the list.
func expand(statements []rules.Statement, prefix path) (all []placed) {
	for i := range statements {
		s := &statements[i]
		r := placed{Statement: s, at: [2]path{prefix.Join(s.Paths[0]...), prefix.Join(s.Paths[1]...)}, block: &statements[0], prefix: prefix}
		if s.Verb == "each" && !s.Conditional && slices.Equal(r.at[0], r.at[1]) {
			all = append(all, expand(s.Inner, r.at[0].Join(s.Every))...)
			continue
		}
		all = append(all, r)
	}
	return all
}
