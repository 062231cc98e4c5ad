package write

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestCompileWithDefinition tests that compile --crd refuses rules about fields that the schemas do
// not have, and names each with its line.
func TestCompileWithDefinition(t *testing.T) {
	dir := t.TempDir()
	crd, rules := filepath.Join(dir, "crd.yaml"), filepath.Join(dir, "rules.yaml")
	version := func(name, storage, field, parts string) string {
		return "  - name: " + name + "\n    served: true\n    storage: " + storage + `
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {` + field + `: {type: string}, disks: {type: array, items: {type: object, properties: {` + field + `: {type: string}}}}, parts: ` + parts + `}}}}}
`
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(crd, `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
`+version("v1", "true", "colour", `{type: object, additionalProperties: {type: object, properties: {size: {type: string}}}}`)+
		version("v2", "false", "color", `{type: array, items: {type: object, properties: {name: {type: string}, size: {type: string}}}}`))
	const head = "kind: Thing\ngroup: example.com\nconversions:\n- from: v1\n  to: v2\n  rules:\n"
	for _, c := range []struct{ name, rules, want string }{
		{"fields of the schemas", head + "  - {rename: spec.colour, to: spec.color}\n  - each: spec.disks\n    rules: [{rename: colour, to: color}]\n", ""},
		{"annotations", head + "  - {move: \"metadata.annotations['example.com/color']\", to: spec.color}\n", ""},
		{"misspelt in the first version", head + "  - {rename: spec.colours, to: spec.color}\n", "RULES:7:5: the schema of v1 does not have spec.colours: is it misspelt?"},
		{"misspelt in an element", head + "  - each: spec.disks\n    rules: [{rename: colour, to: colors}]\n", "RULES:8:13: the schema of v2 does not have spec.disks[].colors: is it misspelt?"},
		{"elements of a map", head + "  - listFromMap: spec.parts\n    key: name\n    each: [{translate: size, values: [[a, b]]}]\n", ""},
		{"elements of a map, from the other side", strings.Replace(head, "from: v1\n  to: v2", "from: v2\n  to: v1", 1) + "  - mapFromList: spec.parts\n    key: name\n    each: [{translate: size, values: [[a, b]]}]\n", ""},
		{"misspelt in elements of a map", head + "  - listFromMap: spec.parts\n    key: name\n    each: [{rename: sise, to: size}]\n", "RULES:9:12: the schema of v1 does not have spec.parts.*.sise: is it misspelt?"},
		{"dropped in the wrong version", head + "  - {drop: spec.color, in: v1}\n", "RULES:7:5: the schema of v1 does not have spec.color: is it misspelt?"},
		{"another kind", strings.Replace(head, "Thing", "Thign", 1) + "  - {rename: spec.colour, to: spec.color}\n", "CRD defines Thing.example.com, and the module converts Thign.example.com"},
		{"other types", head + "  - {convert: spec.colour, to: spec.color, as: [integer, string]}\n  - {rename: \"spec.disks[].colour\", to: \"spec.disks[].color\"}\n",
			"RULES:7:1: spec.colour: it is of type string in v1, and the rule is about integer"},
		{"another version", strings.Replace(head, "to: v2", "to: v3", 1) + "  - {rename: spec.colour, to: spec.color}\n", "RULES:7:5: the schema of v3 does not have spec.color: is it misspelt?"},
	} {
		write(rules, c.rules)
		var out, errors bytes.Buffer
		compile := compileCommand()
		compile.SetArgs([]string{"--crd", crd, "-o", filepath.Join(dir, "out") + "/", rules})
		compile.SetOut(&out)
		compile.SetErr(&errors)
		compile.SilenceUsage, compile.SilenceErrors = true, true
		err := compile.ExecuteContext(t.Context())
		if c.want == "" && err != nil || c.want != "" && (err == nil || strings.NewReplacer(rules, "RULES", crd, "CRD").Replace(err.Error()) != c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if finding := (command.Finding{}); c.want != "" && c.name != "another kind" && !asFinding(err, &finding) {
			t.Errorf("%s: %T is not a finding", c.name, err)
		}
	}
}

func asFinding(err error, f *command.Finding) (ok bool) {
	*f, ok = err.(command.Finding)
	return ok
}
