package generate

import (
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// rules are the value validations that apply to one value: those of its schema, of the branches
// that were chosen for it, and of branches that were chosen for values around it.
type rules struct {
	all       []*schema.ValueValidation
	nested    []*schema.NestedValueValidation
	required  []string
	forbidden []string
}

// collect adds the rules of a schema and chooses a branch of each union.
func (m *maker) collect(r *rules, n *node, v *schema.ValueValidation) {
	if v == nil {
		return
	}
	r.all = append(r.all, v)
	r.required = append(r.required, v.Required...)
	for i := range v.AllOf {
		m.nest(r, n, &v.AllOf[i])
	}
	for k, list := range [][]schema.NestedValueValidation{v.OneOf, v.AnyOf} {
		if len(list) == 0 || list[0].ForbiddenGenerics.Type != "" {
			continue
		}
		chosen := m.branchOf(n, list)
		m.nest(r, n, &list[chosen])
		for i := range list {
			if k == 0 && i != chosen {
				m.avoid(r, &list[i])
			}
		}
	}
	if v.Not != nil {
		m.avoid(r, v.Not)
	}
}

func (m *maker) nest(r *rules, n *node, nested *schema.NestedValueValidation) {
	r.nested = append(r.nested, nested)
	m.collect(r, n, &nested.ValueValidation)
}

// branchOf returns the index of the branch to use: the one of the goal, one with a field on the way
// to the goal, or any.
func (m *maker) branchOf(n *node, list []schema.NestedValueValidation) int {
	if g := m.forced(n); g != nil && g.branch != nil {
		for i := range list {
			if &list[i] == g.branch.nested {
				return i
			}
		}
	}
	for i := range list {
		if m.on && slices.ContainsFunc(n.fields, func(f *node) bool { return m.way[f] && slices.Contains(list[i].Required, f.name) }) {
			return i
		}
	}
	return m.rand.IntN(len(list))
}

// avoid makes a value that does not fit a branch likely: a branch that only demands fields is
// avoided by leaving one of them out. Validation decides about all others.
func (m *maker) avoid(r *rules, nested *schema.NestedValueValidation) {
	for i := range nested.AnyOf {
		m.avoid(r, &nested.AnyOf[i])
	}
	var free []string
	for _, name := range nested.Required {
		if !slices.Contains(r.required, name) {
			free = append(free, name)
		}
	}
	if len(free) > 0 && len(nested.Properties) == 0 {
		r.forbidden = append(r.forbidden, free[m.rand.IntN(len(free))])
	}
}

// below returns the rules for a member, the elements or the values of a value with these rules.
func (m *maker) below(r *rules, n *node, pick func(*schema.NestedValueValidation) *schema.NestedValueValidation) *rules {
	child := &rules{}
	m.collect(child, n, n.s.ValueValidation)
	for _, nested := range r.nested {
		if p := pick(nested); p != nil {
			m.nest(child, n, p)
		}
	}
	return child
}

func propertyOf(name string) func(*schema.NestedValueValidation) *schema.NestedValueValidation {
	return func(n *schema.NestedValueValidation) *schema.NestedValueValidation {
		if p, ok := n.Properties[name]; ok {
			return &p
		}
		return nil
	}
}

func itemsOf(n *schema.NestedValueValidation) *schema.NestedValueValidation { return n.Items }

func valuesOf(n *schema.NestedValueValidation) *schema.NestedValueValidation {
	return n.AdditionalProperties
}

// bounds is the intersection of lower and upper bounds for a count.
func (r *rules) bounds(of func(*schema.ValueValidation) (lower, upper *int64)) (least, most int) {
	most = math.MaxInt32
	for _, v := range r.all {
		lower, upper := of(v)
		if lower != nil {
			least = max(least, int(min(*lower, math.MaxInt32)))
		}
		if upper != nil {
			most = min(most, int(min(*upper, math.MaxInt32)))
		}
	}
	return least, most
}

func lengths(v *schema.ValueValidation) (*int64, *int64)    { return v.MinLength, v.MaxLength }
func counts(v *schema.ValueValidation) (*int64, *int64)     { return v.MinItems, v.MaxItems }
func properties(v *schema.ValueValidation) (*int64, *int64) { return v.MinProperties, v.MaxProperties }

// enum returns the values that all enums have in common; nil without an enum.
func (r *rules) enum() (values []any, ok bool) {
	for _, v := range r.all {
		if len(v.Enum) == 0 {
			continue
		}
		var list []any
		for _, e := range v.Enum {
			if !ok || slices.ContainsFunc(values, func(other any) bool { return equal(other, e.Object) }) {
				list = append(list, e.Object)
			}
		}
		values, ok = list, true
	}
	return values, ok
}

func (r *rules) patterns() (all []string) {
	for _, v := range r.all {
		if v.Pattern != "" {
			all = append(all, v.Pattern)
		}
	}
	return all
}

func (r *rules) format() string {
	for _, v := range r.all {
		if v.Format != "" {
			return v.Format
		}
	}
	return ""
}

// limits returns the range of a number, and the numbers that it is a multiple of.
func (r *rules) limits() (least, most float64, multiples []float64) {
	least, most = math.Inf(-1), math.Inf(1)
	for _, v := range r.all {
		if v.Minimum != nil {
			low := *v.Minimum
			if v.ExclusiveMinimum {
				low = math.Nextafter(low, math.Inf(1))
			}
			least = max(least, low)
		}
		if v.Maximum != nil {
			high := *v.Maximum
			if v.ExclusiveMaximum {
				high = math.Nextafter(high, math.Inf(-1))
			}
			most = min(most, high)
		}
		if v.MultipleOf != nil && *v.MultipleOf > 0 {
			multiples = append(multiples, *v.MultipleOf)
		}
	}
	return least, most, multiples
}
