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
