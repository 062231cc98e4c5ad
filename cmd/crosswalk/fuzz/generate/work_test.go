package generate

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

// TestWorkIsBounded makes objects of schemas that demand more than a process can hold: the generator
// says why it makes none, or makes those that need less.
func TestWorkIsBounded(t *testing.T) {
	nested := `{type: string, default: "` + strings.Repeat("x", 1000) + `"}`
	for range 3 {
		nested = `{type: array, minItems: 300, items: ` + nested + `}`
	}
	var unions strings.Builder
	for range 3000 {
		unions.WriteString(`{required: [a]}, `)
	}
	var values strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&values, "v%d, ", i)
	}
	for _, c := range []struct {
		name, schema string
		some         bool // there are objects
	}{
		{"a list", `{type: array, minItems: 2000000000, items: {type: integer}}`, false},
		{"a list without a schema of elements", `{type: array, minItems: 2000000000, items: {type: object}}`, false},
		{"lists in lists", nested, false},
		{"a map", `{type: object, minProperties: 2000000000, additionalProperties: {type: string}}`, false},
		{"a text", `{type: string, minLength: 2000000000}`, false},
		{"a text with a pattern", `{type: string, minLength: 2000000000, pattern: "^x*$"}`, false},
		{"texts", `{type: array, minItems: 1000, items: {type: string, minLength: 60000}}`, false},
		{"defaults", `{type: array, minItems: 1000, items: {type: object, properties: {a: {type: string, default: "` + strings.Repeat("x", 100_000) + `"}}}}`, false},
		{"values of an enum", `{type: array, minItems: 1000, items: {type: string, enum: ["` + strings.Repeat("x", 100_000) + `"]}}`, false},
		{"many values of an enum", `{type: string, enum: [` + strings.TrimSuffix(values.String(), ", ") + `]}`, true},
		{"branches of a union", `{type: array, minItems: 100, items: {type: object, properties: {a: {type: string}}, anyOf: [` + strings.TrimSuffix(unions.String(), ", ") + `]}}`, false},
		{"optional lists", `{type: object, properties: {a: {type: array, minItems: 2000000000, items: {type: string}}, b: {type: string}}}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := `apiVersion: apiextensions.k8s.io/v1
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
    schema: {openAPIV3Schema: {type: object, required: [spec], properties: {spec: ` + c.schema + `}}}
`
			all, err := definition.Read([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			d, err := apiserver.New(all[0].CRD)
			if err != nil {
				t.Fatal(err)
			}
			g := New(t.Context(), d.Versions[0], 1)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			made := 0
			for range 4 {
				if g.Next(t.Context()) != nil {
					made++
				}
			}
			runtime.ReadMemStats(&after)
			if made > 0 != c.some || !c.some && g.Why() != tooMuch {
				t.Errorf("%d objects: %s", made, g.Why())
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 2<<30 { // of 128 tries
				t.Errorf("it took %d MiB", used>>20)
			}
		})
	}
}
