package generate

import (
	"fmt"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// goal is a choice that at least one object should show: a field that is absent, an empty list, a
// value of an enum, a branch of a union, a bound of a range.
type goal struct {
	node   *node
	what   string // "absent", "present", "empty", "null", or as what it shows: "the value \"A\""
	branch *branch

	value  any // a value to use; with fixed
	fixed  bool
	length int // of a list, a map or a string, with sized
	sized  bool
	absent bool
	empty  bool
	text   bool // a string, of an int-or-string

	reached bool
	tries   int
	why     string // why the last attempt failed
}

const (
	// maxLength is the longest string, and maxCount the longest list or map, that is made to reach
	// an upper bound.
	maxLength = 4096
	maxCount  = 64
)

// setGoals adds the goals of a tree, those of outer values first.
func setGoals(root *node) (all []*goal) {
	queue := []*node{root}
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		if n.up != nil && !n.meta {
			all = append(all, n.setGoals()...)
		}
		queue = append(queue, n.fields...)
		for _, child := range []*node{n.items, n.values} {
			if child != nil {
				queue = append(queue, child)
			}
		}
	}
	return all
}

// shows returns the value that the goal asks for, if there is only one.
func (g *goal) shows() (value any, known bool) {
	switch {
	case g.fixed && g.value != nil:
		return g.value, true
	case !g.empty:
		return nil, false
	}
	switch g.node.s.Type {
	case "string":
		return "", true
	case "array":
		return []any{}, true
	}
	return map[string]any{}, true
}

// forGoals returns the validations that a goal's value must fulfil: those that hold whichever branches of
// unions are chosen, and not the enum. With one, its values are the only goals with a value, and to look
// each of 100,000 up among all takes minutes.
func forGoals(v *schema.ValueValidation) *schema.ValueValidation {
	if v == nil {
		return nil
	}
	own := *v
	own.OneOf, own.AnyOf, own.AllOf, own.Not, own.Enum = nil, nil, nil, nil, nil
	return &own
}

// setGoals adds the goals of one value.
func (n *node) setGoals() (all []*goal) {
	own := schema.Structural{Generic: schema.Generic{Type: n.s.Type}, ValueValidation: forGoals(n.s.ValueValidation)}
	allows := validate.NewSchemaValidator(own.ToKubeOpenAPI(), nil, "", strfmt.Default)
	add := func(g goal) *goal {
		g.node = n
		if value, known := g.shows(); known && len(allows.Validate(value).Errors) > 0 {
			return nil // the schema does not allow it
		}
		all = append(all, &g)
		return &g
	}
	if n.name != "[]" && n.name != "*" {
		add(goal{what: "present"})
		if !n.up.required(n.name) && n.s.Default.Object == nil {
			n.absent = add(goal{what: "absent", absent: true})
		}
	}
	if n.s.Nullable {
		add(goal{what: "null", fixed: true})
	}
	v := n.s.ValueValidation
	if v == nil {
		v = &schema.ValueValidation{}
	}
	for _, e := range v.Enum {
		add(goal{what: fmt.Sprintf("the value %v", shown(e.Object)), value: e.Object, fixed: true})
	}
	for _, u := range n.unions {
		for i, b := range u.branches {
			add(goal{what: fmt.Sprintf("branch %d of %d of a union", i+1, len(u.branches)), branch: b})
		}
	}
	if len(v.Enum) == 0 {
		n.addBounds(v, add)
	}
	n.goals = all
	return all
}

// addBounds adds the goals that a type has: empty values, the ends of ranges.
func (n *node) addBounds(v *schema.ValueValidation, add func(goal) *goal) {
	sized := func(least, most *int64, limit int, things string) {
		if least == nil || *least == 0 {
			add(goal{what: "empty", empty: true, sized: true})
		} else if *least > 1 {
			add(goal{what: fmt.Sprintf("%d %s, the minimum", *least, things), sized: true, length: int(*least)})
		}
		if most != nil && *most > 0 && *most <= int64(limit) {
			add(goal{what: fmt.Sprintf("%d %s, the maximum", *most, things), sized: true, length: int(*most)})
		}
	}
	switch {
	case n.s.XIntOrString:
		add(goal{what: "an integer", value: int64(8080), fixed: true})
		add(goal{what: "a string", text: true})
	case n.s.Type == "boolean":
		add(goal{what: "true", value: true, fixed: true})
		add(goal{what: "false", value: false, fixed: true})
	case n.s.Type == "string":
		sized(v.MinLength, v.MaxLength, maxLength, "characters")
	case n.s.Type == "array":
		sized(v.MinItems, v.MaxItems, maxCount, "elements")
		if (v.MaxItems == nil || *v.MaxItems > 1) && (v.MinItems == nil || *v.MinItems < 3) {
			add(goal{what: "several elements", sized: true, length: int(min(3, *orMost(v.MaxItems)))})
		}
	case n.s.Type == "object" && (n.values != nil || len(n.fields) > 0):
		if n.values != nil {
			sized(v.MinProperties, v.MaxProperties, maxCount, "members")
		} else if len(v.Required) == 0 && !slices.ContainsFunc(n.fields, func(f *node) bool { return f.s.Default.Object != nil }) {
			add(goal{what: "empty", empty: true, sized: true})
		}
	case n.s.Type == "integer" || n.s.Type == "number":
		n.addRange(v, add)
	}
}

func orMost(n *int64) *int64 {
	if n == nil {
		most := int64(math.MaxInt32)
		return &most
	}
	return n
}

func (n *node) addRange(v *schema.ValueValidation, add func(goal) *goal) {
	r := rules{all: []*schema.ValueValidation{v}}
	least, most, multiples := r.limits()
	for _, edge := range []struct {
		of   float64
		what string
	}{{least, "the minimum"}, {most, "the maximum"}} {
		if math.IsInf(edge.of, 0) {
			continue
		}
		value, ok := nearest(edge.of, least, most, multiples, n.s.Type == "integer")
		if ok {
			add(goal{what: fmt.Sprintf("%v, %s", value, edge.what), value: value, fixed: true})
		}
	}
	if least <= 0 && most >= 0 {
		add(goal{what: "zero", value: int64(0), fixed: true})
	}
	const exact = 1<<53 + 1 // the first integer that a float64 does not hold
	if n.s.Type == "integer" && v.Format != "int32" && most >= exact && len(multiples) == 0 {
		add(goal{what: "an integer that a float64 does not hold", value: int64(exact), fixed: true})
	}
	if n.s.Type == "number" && len(multiples) == 0 && least <= 0.1 && most >= 0.1 {
		add(goal{what: "a fraction", value: 0.1, fixed: true})
	}
}

// shown is a value as a report shows it.
func shown(value any) string {
	if s, ok := value.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(value)
}
