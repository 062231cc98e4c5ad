package apiserver

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestValidatorsAreTheAPIServers compares the kept validators with those that the API server makes
// anew for each object, in two orders. Keys of the map look like paths of other values.
func TestValidatorsAreTheAPIServers(t *testing.T) {
	var given apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(`{"type":"object","properties":{
		"a":{"type":"object","additionalProperties":{"type":"string","maxLength":2},"properties":{}},
		"a.b":{"type":"integer","minimum":3},
		"m":{"type":"object","additionalProperties":{"type":"object","required":["x"],"properties":{"x":{"type":"integer"},"y":{"type":"string"}}}},
		"list":{"type":"array","maxItems":3,"items":{"type":"object","properties":{"n":{"type":"integer","maximum":5},"u":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}},
		"any":{"oneOf":[{"required":["p"]},{"required":["q"]}],"type":"object","properties":{"p":{"type":"string"},"q":{"type":"boolean"}}},
		"null":{"type":"string","nullable":true}}}`), &given); err != nil {
		t.Fatal(err)
	}
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&given, &props, nil); err != nil {
		t.Fatal(err)
	}
	plain, schema, err := validation.NewSchemaValidator(&props)
	if err != nil {
		t.Fatal(err)
	}
	kept := newValidators(schema)
	objects := []string{
		`{}`, `{"a.b":2}`, `{"a":{"b":"long"}}`, `{"a":{"b":"ok"},"a.b":7}`, `{"a":{"b":7}}`, `{"a.b":"text"}`,
		`{"m":{"k":{}}}`, `{"m":{"k":{"x":1,"y":2}}}`, `{"m":{"k.x":{"x":"text"}}}`, `{"m":{"k":{"x":{"x":1}}}}`,
		`{"list":[{"n":6},{"n":5},{"u":true}]}`, `{"list":[{"n":5},{"n":6},{"u":1},{"u":"a"}]}`, `{"list":[1]}`,
		`{"any":{}}`, `{"any":{"p":"a"}}`, `{"any":{"p":"a","q":true}}`, `{"any":{"p":1}}`, `{"null":null}`, `{"null":1}`, `{"list":null}`,
	}
	texts := func(errs field.ErrorList) string {
		slices.SortFunc(errs, func(a, b *field.Error) int { return cmp.Compare(a.Error(), b.Error()) })
		var all []string
		for _, e := range errs {
			all = append(all, e.Error())
		}
		return strings.Join(all, "\n")
	}
	failed := 0
	for range 2 {
		for _, text := range objects {
			var object map[string]any
			if err := utiljson.Unmarshal([]byte(text), &object); err != nil {
				t.Fatal(err)
			}
			want := texts(validation.ValidateCustomResource(nil, object, plain))
			if got := texts(validation.ValidateCustomResource(nil, object, kept)); got != want {
				t.Errorf("%s:\n%s\nwant:\n%s", text, got, want)
			}
			if want != "" {
				failed++
			}
		}
		slices.Reverse(objects)
	}
	if failed < len(objects) {
		t.Errorf("only %d of %d objects are invalid", failed/2, len(objects))
	}
}
