package generate

import (
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

// TestObjectsHaveRareValues tests that the objects of any seed soon have each value that only a rare
// mistake of a converter distinguishes, and that their metadata is valid.
func TestObjectsHaveRareValues(t *testing.T) {
	all, err := definition.Read([]byte(`apiVersion: apiextensions.k8s.io/v1
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
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      text: {type: string}, list: {type: array, items: {type: string}}, map: {type: object, additionalProperties: {type: string}},
      objects: {type: array, items: {type: object, properties: {name: {type: string}, size: {type: integer}}}}}}}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	d, err := apiserver.New(all[0].CRD)
	if err != nil {
		t.Fatal(err)
	}
	const objects = 2000 // until all have been there
	text := func(is func(string) bool) func(meta, spec map[string]any) bool {
		return func(_, spec map[string]any) bool {
			value, ok := spec["text"].(string)
			return ok && is(value)
		}
	}
	equals := func(want string) func(meta, spec map[string]any) bool {
		return text(func(s string) bool { return s == want })
	}
	rare := map[string]func(meta, spec map[string]any) bool{
		"more than three elements":  func(_, spec map[string]any) bool { list, _ := spec["list"].([]any); return len(list) > 3 },
		"more than sixteen objects": func(_, spec map[string]any) bool { list, _ := spec["objects"].([]any); return len(list) > 16 },
		"more than three members":   func(_, spec map[string]any) bool { m, _ := spec["map"].(map[string]any); return len(m) > 3 },
		"the key __proto__":         func(_, spec map[string]any) bool { m, _ := spec["map"].(map[string]any); return m["__proto__"] != nil },
		"a text of 17":              text(func(s string) bool { return len(s) == 17 }),
		"a text of 63":              text(func(s string) bool { return len(s) == 63 }),
		"a text beyond 253":         text(func(s string) bool { return len(s) > 253 }),
		"main":                      equals("main"),
		"default":                   equals("default"),
		"1024Ki":                    equals("1024Ki"),
		"a word of the dictionary":  equals("rare-word"),
		"another end of a line":     text(func(s string) bool { return strings.Contains(s, "\r\n") }),
		"a dot in the name":         func(meta, _ map[string]any) bool { return strings.Contains(meta["name"].(string), ".") },
		"a name of 253":             func(meta, _ map[string]any) bool { return len(meta["name"].(string)) == 253 },
		"another namespace":         func(meta, _ map[string]any) bool { return meta["namespace"] != "default" },
		"another label": func(meta, _ map[string]any) bool {
			labels, _ := meta["labels"].(map[string]any)
			return labels["app"] != nil
		},
		"the last-applied annotation": func(meta, _ map[string]any) bool {
			annotations, _ := meta["annotations"].(map[string]any)
			return annotations[lastApplied] != nil
		},
	}
	for seed := range uint64(3) {
		g := New(t.Context(), d.Versions[0], seed)
		g.Learn([]string{"rare-word"})
		missing := map[string]bool{}
		for name := range rare {
			missing[name] = true
		}
		for n := 0; n < objects && len(missing) > 0; n++ {
			object := g.Next(t.Context())
			if errs := d.Versions[0].ValidateMeta(object); len(errs) > 0 {
				t.Fatalf("object %d: %v", n, errs)
			}
			meta, _ := object["metadata"].(map[string]any)
			spec, _ := object["spec"].(map[string]any)
			for name := range missing {
				if rare[name](meta, spec) {
					delete(missing, name)
				}
			}
		}
		for name := range missing {
			t.Errorf("seed %d: none of %d objects has %s", seed, objects, name)
		}
	}
}
