package schema

import (
	"reflect"
	"testing"
)

func TestFields(t *testing.T) {
	crd, err := Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          apiVersion: {type: string}
          metadata: {type: object}
          spec:
            type: object
            properties:
              size: {type: integer}
              port: {x-kubernetes-int-or-string: true}
              names: {type: array, items: {type: string}}
              parts:
                type: array
                items: {type: object, properties: {name: {type: string}}}
              any: {x-kubernetes-preserve-unknown-fields: true}
              policy: {type: string, enum: [keep, Delete]}
              labels: {type: object, additionalProperties: {type: string}}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Field{
		{".spec", "an object", false, nil},
		{".spec.any", "an object, an array, a string, a number or a boolean", true, nil},
		{".spec.labels", "an object", false, nil},
		{".spec.labels.*", "a string", true, nil},
		{".spec.names", "an array", false, nil},
		{".spec.names[]", "a string", true, nil},
		{".spec.parts", "an array", false, nil},
		{".spec.parts[]", "an object", false, nil},
		{".spec.parts[].name", "a string", true, nil},
		{".spec.policy", "a string", true, []string{"keep", "Delete"}},
		{".spec.port", "an integer or a string", true, nil},
		{".spec.size", "an integer", true, nil},
	}
	if got := crd.Versions[0].Fields(10); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got := crd.Versions[0].Fields(1); !reflect.DeepEqual(got, []Field{{".spec", "an object", true, nil}}) {
		t.Errorf("one level: %v", got)
	}
}

// TestFieldsOfRealDefinitions: the depth bounds the number of fields that are listed of real
// definitions.
func TestFieldsOfRealDefinitions(t *testing.T) {
	for name, text := range definitions(t) {
		crd := parse(t, text)
		for i := range crd.Versions {
			if n := len(crd.Versions[i].Fields(12)); n < 20 || n > maxFields {
				t.Errorf("%s %s has %d fields", name, crd.Versions[i].Name, n)
			}
		}
	}
}
