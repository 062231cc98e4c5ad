package scope

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/generate"
)

// kind is the form of a value.
type kind int

const (
	scalar kind = iota
	object
	list
	mapping
)

// node is the values that a schema allows at one place. Each has a number of choices: see the
// package.
type node struct {
	kind     kind
	name     string
	required bool // the object has it in any case, perhaps by a default
	nullable bool
	values   []any   // of a scalar; the first one has no choice
	fields   []*node // of an object
	inner    *node   // the elements of a list, or the members of a map
	least    int     // of these
	most     int
}

// keys are the names of the members of maps.
var keys = []string{"a", "b.example.com/c", "c", "d"}

// each calls yield with each value of exactly so many choices, until it returns false. It returns
// false then, too. The next value may share parts with the last one.
func (n *node) each(choices int, yield func(any) bool) bool {
	if n.nullable && choices == 1 && !yield(nil) {
		return false
	}
	switch n.kind {
	case object:
		return n.eachObject(0, choices, nil, yield)
	case list, mapping:
		return n.eachList(choices, nil, yield)
	}
	values := n.values
	switch {
	case choices > 1 || len(values) == 0:
		return true
	case choices == 0:
		values = values[:1]
	default:
		values = values[1:]
	}
	for _, v := range values {
		if !yield(v) {
			return false
		}
	}
	return true
}

// added is each for a value that need not be there: that it is there is a choice, too, unless
// something in it is one.
func (n *node) added(choices int, yield func(any) bool) bool {
	return (choices != 1 || n.each(0, yield)) && n.each(choices, yield)
}

// member is a field of an object with its value.
type member struct {
	name  string
	value any
}

// eachObject chooses the fields from the i-th on.
func (n *node) eachObject(i, choices int, made []member, yield func(any) bool) bool {
	if i == len(n.fields) {
		if choices > 0 {
			return true
		}
		value := make(map[string]any, len(made))
		for _, m := range made {
			value[m.name] = m.value
		}
		return yield(value)
	}
	f := n.fields[i]
	next := func(left int) func(any) bool {
		return func(value any) bool {
			return n.eachObject(i+1, left, append(made[:len(made):len(made)], member{f.name, value}), yield)
		}
	}
	if f.required {
		if !f.each(0, next(choices)) {
			return false
		}
	} else if !n.eachObject(i+1, choices, made, yield) {
		return false
	}
	for used := 1; used <= choices; used++ {
		values := f.added
		if f.required {
			values = f.each
		}
		if !values(used, next(choices-used)) {
			return false
		}
	}
	return true
}

// eachList chooses the elements after those that are made.
func (n *node) eachList(choices int, made []any, yield func(any) bool) bool {
	if len(made) >= n.least && choices == 0 && !yield(n.whole(made)) {
		return false
	}
	if len(made) >= n.most {
		return true
	}
	next := func(left int) func(any) bool {
		return func(value any) bool {
			return n.eachList(left, append(made[:len(made):len(made)], value), yield)
		}
	}
	if len(made) < n.least && !n.inner.each(0, next(choices)) {
		return false
	}
	for used := 1; used <= choices; used++ {
		values := n.inner.added
		if len(made) < n.least {
			values = n.inner.each
		}
		if !values(used, next(choices-used)) {
			return false
		}
	}
	return true
}

func (n *node) whole(made []any) any {
	if n.kind == list {
		return append([]any{}, made...)
	}
	value := make(map[string]any, len(made))
	for i, v := range made {
		value[keys[i]] = v
	}
	return value
}

// texts are the values of a text without an enum, besides those of its own length, pattern and
// format.
var texts = []any{"a", "", "b", "1", "a:b", "a,b", "90m", "1Gi", "é \"\\\n"}

// maxLength is the longest text that is made for a bound.
const maxLength = 4096

// scalars returns the values of a field without fields of its own: all of an enum and of a boolean,
// otherwise boundary values. The default is the first one if there is one.
func scalars(s *schema.Structural) (values []any) {
	v := s.ValueValidation
	if v == nil {
		v = &schema.ValueValidation{}
	}
	if s.Default.Object != nil {
		values = append(values, s.Default.Object)
	}
	switch {
	case len(v.Enum) > 0:
		for _, e := range v.Enum {
			values = append(values, e.Object)
		}
	case s.XIntOrString:
		values = append(values, int64(8080), "a", int64(0), "50%")
	case s.XEmbeddedResource:
		values = append(values, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "embedded"}})
	case s.Type == "boolean":
		values = append(values, true, false)
	case s.Type == "string":
		values = append(values, textsOf(v)...)
	case s.Type == "integer" || s.Type == "number":
		values = append(values, numbersOf(v, s.Type == "integer")...)
	case s.Type == "array":
		values = append(values, []any{})
	default: // an object or a value of any type, of which the schema names nothing
		values = append(values, map[string]any{}, map[string]any{"unknownField": "a"})
	}
	own := schema.Structural{Generic: schema.Generic{Type: s.Type}, Extensions: schema.Extensions{XIntOrString: s.XIntOrString}, ValueValidation: s.ValueValidation}
	allows := validate.NewSchemaValidator(own.ToKubeOpenAPI(), nil, "", strfmt.Default)
	var valid []any
	for _, value := range values {
		same := func(other any) bool { return reflect.DeepEqual(value, other) }
		if len(allows.Validate(value).Errors) == 0 && !slices.ContainsFunc(valid, same) {
			valid = append(valid, value)
		}
	}
	return valid
}

func textsOf(v *schema.ValueValidation) (values []any) {
	for _, text := range generate.Matching(v.Pattern, v.Format) {
		values = append(values, text)
	}
	values = append(values, texts...)
	for _, length := range []*int64{v.MinLength, v.MaxLength} {
		if length != nil && *length > 0 && *length <= maxLength {
			values = append(values, strings.Repeat("x", int(*length)))
		}
	}
	return values
}

func numbersOf(v *schema.ValueValidation, whole bool) []any {
	values := []any{int64(1), int64(0), int64(-1), int64(2)}
	for _, bound := range []*float64{v.Minimum, v.Maximum, v.MultipleOf} {
		if bound != nil && *bound == math.Trunc(*bound) && math.Abs(*bound) < 1<<62 {
			values = append(values, int64(*bound), int64(*bound)+1, int64(*bound)-1)
		}
	}
	if v.Format != "int32" {
		values = append(values, int64(1<<53+1))
	}
	if !whole {
		values = append(values, 0.5)
	}
	return values
}
