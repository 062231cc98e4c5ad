package generate

import (
	"math"
	"reflect"
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

func lengths(v *schema.ValueValidation) (*int64, *int64) { return v.MinLength, v.MaxLength }

func counts(v *schema.ValueValidation) (*int64, *int64) { return v.MinItems, v.MaxItems }

func properties(v *schema.ValueValidation) (*int64, *int64) { return v.MinProperties, v.MaxProperties }

// enum returns the values that all enums have in common; nil without an enum.
func (r *rules) enum() (values []any, ok bool) {
	for _, v := range r.all {
		if len(v.Enum) == 0 {
			continue
		}
		var list []any
		for _, e := range v.Enum {
			if !ok || slices.ContainsFunc(values, func(other any) bool { return reflect.DeepEqual(other, e.Object) }) {
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
