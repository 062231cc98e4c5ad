package schema

import (
	"testing"
)

// FuzzParse reads anything as a definition.
func FuzzParse(f *testing.F) {
	f.Add([]byte(withRoot(`{type: object}`)))
	f.Add([]byte(withSpec(`{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {properties: {a: {enum: [1, x, null]}}}}`)))
	f.Add([]byte(withSpec(`{x-kubernetes-int-or-string: true, pattern: "[", anyOf: [{type: integer}, {not: {format: date}}]}`)))
	f.Add([]byte(`{"kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":{"additionalProperties":{}}}}]}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		crd, err := Parse(file)
		if (crd == nil) == (err == nil) {
			t.Fatalf("%v, %v", crd, err)
		}
		if err != nil {
			return
		}
		crd.FileName()
		crd.Missing(func(from, to string) bool { return from < to })
		for _, v := range crd.Versions {
			for _, object := range []string{`{}`, `{"spec":{"a":[{"a":1},{"a":"x"}]}}`, `{"spec":[[null,true]]}`} {
				if err := crd.Check(v.Name, []byte(object), Options{}, func(Violation) bool { return true }); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// FuzzCheck checks any object against any schema, written as JSON.
func FuzzCheck(f *testing.F) {
	for _, c := range []struct{ schema, object string }{
		{`{"type":"object","properties":{"a":{"type":"integer","minimum":1,"format":"int32"}}}`, `{"a":0}`},
		{`{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string","pattern":"^a","format":"date-time"}}`, `["a","a"]`},
		{`{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{"k":{"type":"string"}}}}`, `[{"k":"a"},{"k":"a"}]`},
		{`{"x-kubernetes-preserve-unknown-fields":true,"anyOf":[{"required":["a"]},{"not":{"properties":{"b":{"enum":[1,{"a":[]}]}}}}],"oneOf":[{"maxProperties":1},{"minItems":1}]}`, `{"b":1}`},
		{`{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"metadata":{"type":"object"}}}`, `{"kind":"x","metadata":{"a":{}}}`},
		{`{"type":"object","additionalProperties":{"type":"number","multipleOf":0.1,"nullable":true}}`, `{"a":1.5,"b":null}`},
	} {
		f.Add([]byte(c.schema), []byte(`{"spec":`+c.object+`}`), false)
		f.Add([]byte(c.schema), []byte(`{"spec":`+c.object+`}`), true)
	}
	f.Fuzz(func(t *testing.T, schema, object []byte, partial bool) {
		crd, err := Parse([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},
			"spec":{"group":"example.com","names":{"kind":"Thing","plural":"things"},"scope":"Cluster","versions":[{"name":"v1","storage":true,
			"schema":{"openAPIV3Schema":{"properties":{"spec":` + string(schema) + `}}}}]}}`))
		if err != nil {
			return
		}
		look := func(opts Options) (list []Violation, failed bool) {
			err := crd.Check("v1", object, opts, func(v Violation) bool {
				if v.Message == "" || v.Pruned && v.Path == "" {
					t.Errorf("%+v", v)
				}
				list = append(list, v)
				return len(list) < 1000
			})
			return list, err != nil
		}
		first, failed := look(Options{Partial: partial})
		again, failedAgain := look(Options{Partial: partial})
		if len(first) != len(again) || failed != failedAgain {
			t.Fatalf("first %v, %v, then %v, %v", first, failed, again, failedAgain)
		}
		if !failed && len(first) < 1000 {
			if whole, _ := look(Options{}); len(whole) < len(first) {
				t.Fatalf("the whole object violates %v, as a fragment %v", whole, first)
			}
		}
	})
}
