package prove

import (
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
)

// TestDigest tests that a digest changes with what the schemas say about objects, and not with the
// texts for people or the order of the versions.
func TestDigest(t *testing.T) {
	const v1 = ` {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, anyOf: [{required: [a]}],
  x-kubernetes-validations: [{rule: "has(self.a)"}], properties: {a: {type: string}, description: {type: string}, l: {type: array, items: {type: string}}, m: {type: object, additionalProperties: {type: string}}}}}}}}`
	const v2 = ` {name: v2, served: true, schema: {openAPIV3Schema: {type: object}}}`
	of := func(versions string) string {
		all, err := definition.Read([]byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: example.com\n  versions: [" + versions + "]\n"))
		if err != nil {
			t.Fatal(err)
		}
		return Digest(all[0].CRD)
	}
	whole := v1 + "," + v2
	for _, c := range []struct {
		name, old, new string
		same           bool
	}{
		{"description", "{type: object, anyOf", "{type: object, description: x, anyOf", true},
		{"description of a field", "a: {type: string}", "a: {type: string, description: x, title: y, example: z, externalDocs: {url: u}}", true},
		{"description of an element", "items: {type", "items: {description: x, type", true},
		{"description of a member", "additionalProperties: {type", "additionalProperties: {description: x, type", true},
		{"description in anyOf", "[{required: [a]}]", "[{description: x, required: [a]}]", true},
		{"message", `{rule: "has(self.a)"}`, `{rule: "has(self.a)", message: x}`, true},
		{"order", whole, v2 + "," + v1, true},
		{"type", "a: {type: string}", "a: {type: integer}", false},
		{"field named description", "description: {type: string}", "description: {type: integer}", false},
		{"element", "items: {type: string}", "items: {type: integer}", false},
		{"rule", "has(self.a)", "has(self.l)", false},
		{"default", "a: {type: string}", "a: {type: string, default: x}", false},
		{"another version", "name: v2", "name: v3", false},
	} {
		changed := strings.Replace(whole, c.old, c.new, 1)
		if changed == whole {
			t.Fatalf("%s: %q is not in the definition", c.name, c.old)
		}
		if same := of(changed) == of(whole); same != c.same {
			t.Errorf("%s: same digest: %v", c.name, same)
		}
	}
}
