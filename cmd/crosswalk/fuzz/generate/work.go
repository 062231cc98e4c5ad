package generate

import (
	"math"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// maxWork bounds the work for one object: its values, the text in them, the defaults that an API
// server adds, and the branches of unions that it tries. The largest objects of known definitions
// need a tenth. Schemas that demand more, such as a list with two billion elements, have no objects
// that a test could hold.
const maxWork = 50_000

// tooMuch is the reason why an object is not made.
const tooMuch = "the schema demands more values than crosswalk fuzz makes for one object"

// allowance is what is left for one object.
type allowance struct {
	budget int // values to make; optional ones are left out at 0
	work   int // without any, the object fails
}

// charge takes work from an object's. It reports false if there is too little left.
func (a *allowance) charge(work int) bool {
	a.work = max(a.work-min(work, maxWork+1), -1)
	return a.work >= 0
}

// holds reports whether so many values can be made with the work that is left. If not, none is left.
func (a *allowance) holds(count int) bool { return count <= a.work || a.charge(maxWork+1) }

// textWork is the work for a text of some bytes.
func textWork(bytes int) int { return bytes / 16 }

// weigh returns the work for a value.
func weigh(value any) int {
	n := 1
	switch v := value.(type) {
	case string:
		n += textWork(len(v))
	case map[string]any:
		for key, child := range v {
			n = sum(n, textWork(len(key)), weigh(child))
		}
	case []any:
		for _, child := range v {
			n = sum(n, weigh(child))
		}
	}
	return n
}

// weighSchema returns the work for one value of a node beside what is in it: the defaults of its
// fields, with the defaults in these, and the branches of its unions.
func (n *node) weighSchema() {
	n.work = sum(1, branches(n.s.ValueValidation))
	for _, f := range n.fields {
		n.work = sum(n.work, f.defaults())
	}
}

// defaults returns the work for the default of a node.
func (n *node) defaults() int {
	if n.s.Default.Object == nil {
		return 0
	}
	inner := 1
	for _, f := range n.fields {
		inner = sum(inner, f.defaults())
	}
	for _, child := range []*node{n.items, n.values} {
		if child != nil {
			inner = sum(inner, child.work)
		}
	}
	if own := weigh(n.s.Default.Object); own < math.MaxInt32/inner {
		return own * inner
	}
	return math.MaxInt32
}

// branches counts the alternatives of unions, and those in them.
func branches(v *schema.ValueValidation) (n int) {
	if v == nil {
		return 0
	}
	for _, list := range [][]schema.NestedValueValidation{v.AllOf, v.AnyOf, v.OneOf} {
		for i := range list {
			n = sum(n, nestedBranches(&list[i]))
		}
	}
	if v.Not != nil {
		n = sum(n, nestedBranches(v.Not))
	}
	return n
}

func nestedBranches(v *schema.NestedValueValidation) int {
	n := sum(1, branches(&v.ValueValidation))
	for name := range v.Properties {
		property := v.Properties[name]
		n = sum(n, nestedBranches(&property))
	}
	for _, child := range []*schema.NestedValueValidation{v.Items, v.AdditionalProperties} {
		if child != nil {
			n = sum(n, nestedBranches(child))
		}
	}
	return n
}

// sum adds numbers up to a bound.
func sum(all ...int) (n int) {
	for _, one := range all {
		n = min(n+one, math.MaxInt32)
	}
	return n
}
