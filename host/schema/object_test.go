package schema

import (
	"fmt"
	"strings"
	"testing"
)

func TestObject(t *testing.T) {
	runRulings(t, Options{}, []ruling{
		{"required", `{type: object, required: [b, a], properties: {a: {type: string}, b: {type: string}}}`, `{}`, []string{".b: is required", ".a: is required"}},
		{"required met", `{type: object, required: [a], properties: {a: {type: string}}}`, `{"a":""}`, nil},
		{"required of a wrong type", `{type: object, required: [a], properties: {a: {type: string}}}`, `{"a":1}`, []string{".a: must be a string, not a number"}},
		{"required twice", `{type: object, required: [a, a], properties: {a: {type: string}}}`, `{"a":""}`, nil},
		{"required and unknown", `{type: object, required: [a]}`, `{"a":1}`, []string{".a: <-", ".a: is required"}},
		{"required and preserved", `{type: object, required: [a, b], x-kubernetes-preserve-unknown-fields: true}`, `{"a":1}`, []string{".b: is required"}},
		{"required in a map", `{type: object, required: [a, b], additionalProperties: {type: string}}`, `{"a":"x"}`, []string{".b: is required"}},
		{"minProperties", `{type: object, minProperties: 2, additionalProperties: {type: string}}`, `{"a":"x"}`, []string{": must have at least 2 members"}},
		{"minProperties, unknown fields do not count", `{type: object, minProperties: 1}`, `{"a":"x"}`, []string{".a: <-", ": must have at least 1 member"}},
		{"maxProperties", `{type: object, maxProperties: 1, additionalProperties: {type: string}}`, `{"a":"x","b":"x"}`, []string{": must have at most 1 member"}},
		{"maxProperties, unknown fields do not count", `{type: object, maxProperties: 0}`, `{"a":"x"}`, []string{".a: <-"}},
		{"additionalProperties", `{type: object, additionalProperties: {type: integer}}`, `{"a":1,"b":"x"}`, []string{"[b]: must be an integer, not a string"}},
		{"additionalProperties: true", `{type: object, additionalProperties: true}`, `{"a":1,"b":{"c":1},"d":[{"e":1}],"f":null}`, []string{"[b].c: <-", "[d][0].e: <-"}},
		{"additionalProperties: {}", `{type: object, additionalProperties: {}}`, `{"a":1,"b":{"c":1}}`, []string{"[b].c: <-"}},
		{"additionalProperties preserving", `{type: object, additionalProperties: {x-kubernetes-preserve-unknown-fields: true}}`, `{"a":1,"b":{"c":1}}`, nil},
		{"additionalProperties: null", `{type: object, additionalProperties: null}`, `{"a":1}`, []string{".a: <-"}},
		{"properties and additionalProperties", `{type: object, properties: {a: {type: string}}, additionalProperties: {type: integer}}`, `{"a":"x","b":"x"}`, []string{"[b]: must be an integer, not a string"}},
		{"property without a schema", `{type: object, properties: {a: null}}`, `{"a":{"b":1}}`, []string{".a.b: <-"}},
		{"same name at two levels", `{type: object, required: [a], properties: {a: {type: object, required: [a], properties: {a: {type: string}}}}}`, `{"a":{}}`, []string{".a.a: is required"}},
	})
}

// TestManyRequired has more required fields than fit one word of marks, at two levels.
func TestManyRequired(t *testing.T) {
	var names, properties, fields, want []string
	for i := range 150 {
		name := fmt.Sprintf("f%d", i)
		names = append(names, name)
		properties = append(properties, name+": {type: integer}")
		if i%50 != 13 {
			fields = append(fields, fmt.Sprintf("%q:%d", name, i))
		} else {
			want = append(want, ".x."+name+": is required")
		}
	}
	inner := `{type: object, required: [` + strings.Join(names, ", ") + `], properties: {` + strings.Join(properties, ", ") + `}}`
	outer := `{type: object, required: [` + strings.Join(names, ", ") + `], properties: {x: ` + inner + `,` + strings.Join(properties, ", ") + `}}`
	for _, name := range []string{"f13", "f63", "f113"} {
		want = append(want, "."+name+": is required")
	}
	runRulings(t, Options{}, []ruling{{"", outer, `{` + strings.Join(fields, ",") + `,"x":{` + strings.Join(fields, ",") + `}}`, want}})
}

func TestPruning(t *testing.T) {
	runRulings(t, Options{}, []ruling{
		{"unknown", `{type: object, properties: {replicas: {type: integer}}}`, `{"replica":1}`, []string{".replica: <-"}},
		{"unknown, case", `{type: object, properties: {replicas: {type: integer}}}`, `{"Replicas":1}`, []string{".Replicas: <-"}},
		{"unknown, nothing below it is reported", `{type: object}`, `{"a":{"b":[{"c":1}]}}`, []string{".a: <-"}},
		{"unknown in a list", `{type: array, items: {type: object}}`, `[{},{"a":1}]`, []string{"[1].a: <-"}},
		{"unknown in a map", `{type: object, additionalProperties: {type: object}}`, `{"k":{"a":1}}`, []string{"[k].a: <-"}},
		{"preserved", `{type: object, x-kubernetes-preserve-unknown-fields: true}`, `{"a":{"b":[{"c":1}]}}`, nil},
		{"preserved: false", `{type: object, x-kubernetes-preserve-unknown-fields: false}`, `{"a":1}`, []string{".a: <-"}},
		{"preserved, known fields are not", `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: object, properties: {b: {type: string}}}}}`,
			`{"a":{"b":1,"c":1},"d":1}`, []string{".a.b: must be a string, not a number", ".a.c: <-"}},
		{"preserved, the fields of elements too", `{type: array, x-kubernetes-preserve-unknown-fields: true, items: {type: object, properties: {a: {type: object}}}}`,
			`[{"a":{"b":1},"c":1}]`, []string{"[0].a.b: <-"}},
		{"preserved, the fields of elements of elements too", `{type: array, x-kubernetes-preserve-unknown-fields: true, items: {type: array, items: {type: object}}}`, `[[{"c":1}]]`, nil},
		{"preserved, without a type", `{x-kubernetes-preserve-unknown-fields: true}`, `[[{"c":{"d":1}}]]`, nil},
		{"not in scalars", `{type: object, properties: {a: {type: string}}}`, `{"a":{"b":1}}`, []string{".a: must be a string, not an object"}},
	})
}

func TestRoot(t *testing.T) {
	for _, c := range []struct{ name, schema, object, want string }{
		{"nothing said", `{type: object}`, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"any":{"thing":1}}}`, ""},
		{"metadata said", `{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 1}}}}}`, `{"metadata":{"name":"long","x":1}}`, ""},
		{"metadata of any sort", `{type: object, properties: {metadata: {type: object}}}`, `{"metadata":[1]}`, ""},
		{"kind said", `{type: object, properties: {kind: {type: string}, apiVersion: {type: string}}}`, `{"kind":1,"apiVersion":2}`,
			"kind: must be a string, not a number|apiVersion: must be a string, not a number"},
		{"required", `{type: object, required: [kind, metadata, spec], properties: {spec: {type: object}}}`, `{"kind":"Thing","metadata":{}}`, "spec: is required"},
		{"unknown", `{type: object}`, `{"spec":{}}`, "spec: unknown field, the API server drops it"},
		{"rule of the object itself", `{type: object, maxProperties: 1, properties: {spec: {type: object}}}`, `{"kind":"Thing","metadata":{},"spec":{}}`, "must have at most 1 member"},
		{"not the root", `{type: object, properties: {spec: {type: object}}}`, `{"spec":{"metadata":{},"kind":"x"}}`,
			"spec.metadata: unknown field, the API server drops it|spec.kind: unknown field, the API server drops it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			crd := parse(t, []byte(withRoot(c.schema)))
			if err := crd.Check("v1", []byte(c.object), Options{}, func(v Violation) bool { got = append(got, v.String()); return true }); err != nil {
				t.Fatal(err)
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestEmbedded(t *testing.T) {
	const (
		resource = `{type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}`
		open     = `{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}`
		said     = `{type: object, x-kubernetes-embedded-resource: true, required: [kind], properties: {kind: {type: string, enum: [Pod]}, metadata: {type: object, properties: {name: {type: string, maxLength: 1}, labels: {type: object}}}}}`
		require  = "is required in an embedded resource"
		pod      = `"apiVersion":"v1","kind":"Pod"`
	)
	runRulings(t, Options{}, []ruling{
		{"met", resource, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x","odd":1},"spec":{}}`, nil},
		{"empty", resource, `{}`, []string{".apiVersion: " + require, ".kind: " + require}},
		{"unknown", resource, `{` + pod + `,"status":{}}`, []string{".status: <-"}},
		{"open", open, `{` + pod + `,"status":{"a":{}}}`, nil},
		{"types", open, `{"apiVersion":1,"kind":null,"metadata":[]}`,
			[]string{".apiVersion: must be a string, not a number", ".kind: must be a string, not null", ".metadata: must be an object, not an array"}},
		{"empty names", open, `{"apiVersion":"","kind":""}`, []string{".apiVersion: must not be empty", ".kind: must not be empty"}},
		{"odd names", open, `{"apiVersion":"a/b/c","kind":"no kind"}`, []string{".apiVersion: must be a version or <group>/<version>",
			".kind: must be a kind: letters, digits and inner hyphens, a letter first, and at most 63 characters"}},
		{"said", said, `{"apiVersion":"v1","kind":"Job","metadata":{"name":"long","odd":{"odder":1},"labels":{"a":"b"}}}`,
			[]string{`.kind: must be one of "Pod"`, ".metadata.name: must have at most 1 character"}},
		{"said, required once", said, `{"apiVersion":"v1"}`, []string{".kind: is required"}},
		{"said, null", said, `{"apiVersion":"v1","kind":null}`, []string{".kind: is required"}},
		{"in a list", `{type: array, items: ` + open + `}`, `[{` + pod + `},{"kind":"Pod"}]`, []string{"[1].apiVersion: " + require}},
	})
	runRulings(t, Options{Partial: true}, []ruling{{"fragment", resource, `{"kind":"no kind"}`,
		[]string{".kind: must be a kind: letters, digits and inner hyphens, a letter first, and at most 63 characters"}}})
}
