package generate

import (
	"math/rand/v2"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// chooser leads an object to its goal: it knows which values are on the way, and chooses the branches
// of unions.
type chooser struct {
	rand *rand.Rand
	goal *goal          // nil if the object has none
	way  map[*node]bool // the values that lead to the goal, the goal's own included
	on   bool           // the current value is on the way
}

// collect adds the rules of a schema and chooses a branch of each union.
func (c *chooser) collect(r *rules, n *node, v *schema.ValueValidation) {
	if v == nil {
		return
	}
	r.all = append(r.all, v)
	r.required = append(r.required, v.Required...)
	for i := range v.AllOf {
		c.nest(r, n, &v.AllOf[i])
	}
	for k, list := range [][]schema.NestedValueValidation{v.OneOf, v.AnyOf} {
		if len(list) == 0 || list[0].ForbiddenGenerics.Type != "" {
			continue
		}
		chosen := c.branchOf(n, list)
		c.nest(r, n, &list[chosen])
		for i := range list {
			if k == 0 && i != chosen {
				c.avoid(r, &list[i])
			}
		}
	}
	if v.Not != nil {
		c.avoid(r, v.Not)
	}
}

func (c *chooser) nest(r *rules, n *node, nested *schema.NestedValueValidation) {
	r.nested = append(r.nested, nested)
	c.collect(r, n, &nested.ValueValidation)
}

// branchOf returns the index of the branch to use: the one of the goal, one with a field on the way
// to the goal, or any.
func (c *chooser) branchOf(n *node, list []schema.NestedValueValidation) int {
	if g := c.forced(n); g != nil && g.branch != nil {
		for i := range list {
			if &list[i] == g.branch.nested {
				return i
			}
		}
	}
	for i := range list {
		if c.on && slices.ContainsFunc(n.fields, func(f *node) bool { return c.way[f] && slices.Contains(list[i].Required, f.name) }) {
			return i
		}
	}
	return c.rand.IntN(len(list))
}

// avoid makes a value that does not fit a branch likely: a branch that only demands fields is
// avoided by leaving one of them out. Validation decides about all others.
func (c *chooser) avoid(r *rules, nested *schema.NestedValueValidation) {
	for i := range nested.AnyOf {
		c.avoid(r, &nested.AnyOf[i])
	}
	var free []string
	for _, name := range nested.Required {
		if !slices.Contains(r.required, name) {
			free = append(free, name)
		}
	}
	if len(free) > 0 && len(nested.Properties) == 0 {
		r.forbidden = append(r.forbidden, free[c.rand.IntN(len(free))])
	}
}

// below returns the rules for a member, the elements or the values of a value with these rules.
func (c *chooser) below(r *rules, n *node, pick func(*schema.NestedValueValidation) *schema.NestedValueValidation) *rules {
	child := &rules{}
	c.collect(child, n, n.s.ValueValidation)
	for _, nested := range r.nested {
		if p := pick(nested); p != nil {
			c.nest(child, n, p)
		}
	}
	return child
}

// forced returns the goal at a node, while the object is on the way to it.
func (c *chooser) forced(n *node) *goal {
	if c.on && c.goal != nil && c.goal.node == n {
		return c.goal
	}
	return nil
}

// within runs f for a value below the current one: on the way to the goal only if the value is.
func (c *chooser) within(n *node, first bool, f func()) {
	was := c.on
	c.on = was && first && c.way[n]
	f()
	c.on = was
}
