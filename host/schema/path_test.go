package schema

import (
	"strings"
	"testing"
)

func TestPath(t *testing.T) {
	crd := parse(t, []byte(withSpec(`{type: object, properties: {list: {type: array, items: {type: object, additionalProperties: {type: integer}}}, "a.b": {type: integer}, "é": {type: integer},
		$x-y_z: {type: integer}, m: {type: object, additionalProperties: {type: array, items: {type: array, items: {type: integer}}}}, deep: {type: object, anyOf: [{}], allOf: [{properties: {x: {items: {enum: [1]}}}}],
		properties: {x: {type: array, items: {type: integer}}}}}}`)))
	long := strings.Repeat("é", 70)
	for _, c := range []struct{ name, spec, want string }{
		{"list and map", `{"list":[{},{"a":1,"key":"x"}]}`, "spec.list[1][key]"},
		{"lists", `{"m":{"k":[[],[1,"x"]]}}`, "spec.m[k][1][1]"},
		{"label", `{"list":[{"app.kubernetes.io/name":"x"}]}`, "spec.list[0][app.kubernetes.io/name]"},
		{"dot in a field", `{"a.b":"x"}`, "spec[a.b]"},
		{"odd field", `{"$x-y_z":"x"}`, "spec.$x-y_z"},
		{"letters", `{"é":"x"}`, `spec["é"]`},
		{"escapes", `{"list":[{"\u006bey":"x"}]}`, "spec.list[0][key]"},
		{"brackets", `{"list":[{"a]b":"x"}]}`, `spec.list[0]["a]b"]`},
		{"control", `{"list":[{"a\nb\"":"x"}]}`, `spec.list[0]["a\nb\""]`},
		{"empty", `{"list":[{"":"x"}]}`, `spec.list[0][""]`},
		{"space", `{"list":[{"a b":"x"}]}`, `spec.list[0]["a b"]`},
		{"unknown", `{"Lists":1}`, "spec.Lists"},
		{"unknown, odd", `{"a b":1}`, `spec["a b"]`},
		{"long", `{"list":[{"` + long + `":"x"}]}`, `spec.list[0]["` + long[:128] + `…"]`},
		{"long and plain", `{"list":[{"` + strings.Repeat("x", 200) + `":"x"}]}`, "spec.list[0][" + strings.Repeat("x", 128) + "…]"},
		{"white space", ` { "list" : [ { "a" : 1 , "key" : "x" } ] } `, "spec.list[0][key]"},
		{"looked at once more", ` {"deep": { "x" : [1, 1,2]}}`, "spec.deep.x[2]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			err := crd.Check("v1", []byte(`{"metadata":{},"spec":`+c.spec+`}`), Options{}, func(v Violation) bool { got = append(got, v.Path); return true })
			if err != nil || len(got) != 1 || got[0] != c.want {
				t.Errorf("got %q, %v, want %s", got, err, c.want)
			}
		})
	}
}
