package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	crd := parse(t, []byte(`# a comment
---
# another
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.stable.example.com
  annotations: {a: b}
spec:
  group: stable.example.com
  names: {kind: CronTab, plural: crontabs, singular: crontab, shortNames: [ct]}
  scope: Cluster
  conversion: {strategy: None}
  versions:
  - {name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}, subresources: {status: {}}}
  - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1beta1, served: false, storage: false, deprecated: true, schema: {openAPIV3Schema: {type: object}}}
status:
  storedVersions: [v1beta1, v2]
---
# nothing more
`))
	got := fmt.Sprintf("%s %s %s %s", crd.Group, crd.Kind, crd.Plural, crd.FileName())
	if want := "stable.example.com CronTab crontabs crontabs.stable.example.com.crd.yaml"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want := []Version{
		{Name: "v1", Served: true},
		{Name: "v2", Served: true, Storage: true, Stored: true},
		{Name: "v1beta1", Stored: true, Deprecated: true},
	}
	for i := range crd.Versions {
		crd.Versions[i].root = nil
	}
	if !slices.Equal(crd.Versions, want) || len(crd.Warnings) > 0 {
		t.Errorf("versions %+v, warnings %q", crd.Versions, crd.Warnings)
	}
}

func TestParseJSON(t *testing.T) {
	crd := parse(t, []byte(`
	{"kind": "CustomResourceDefinition", "spec": {"versions": [{"schema": {"openAPIV3Schema": {"type": "object", "properties": {
		"spec": {"maximum": 18446744073709551615, "type": "integer", "description": null, "minimum": null}}}}, "name": "v1", "storage": true}],
		"scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"}, "group": "example.com"},
		"metadata": {"name": "things.example.com"}, "apiVersion": "apiextensions.k8s.io/v1"}
	`))
	if got := violations(t, crd, `{"spec":"x"}`, Options{}); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestParseErrors(t *testing.T) {
	valid := withRoot(`{type: object}`)
	replace := func(old, new string) string {
		if !strings.Contains(valid, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(valid, old, new, 1)
	}
	const spec = "spec.versions[0].schema.openAPIV3Schema.properties[spec]"
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "the file is empty"},
		{"comment", "# a\n---\n", "the file is empty"},
		{"no YAML", "a: b: c", "the file cannot be read as YAML: mapping values are not allowed in this context"},
		{"no object", "- a", "must be an object, not an array"},
		{"two", valid + "---\n" + valid, "the file has more than one YAML document; one CustomResourceDefinition belongs in a file"},
		{"two of JSON", `{} {}`, "the file has more than one JSON document; one CustomResourceDefinition belongs in a file"},
		{"cut JSON", `{"spec":{"group":"a"`, "the file is not JSON: unexpected EOF"},
		{"JSON cut before a list", `{"spec":{"versions":`, "the file is not JSON: unexpected EOF"},
		{"bad JSON", `{"spec":{"group":tru}}`, "the file is not JSON: invalid character '}' in literal true (expecting 'e')"},
		{"twice in JSON", `{"spec":{"group":"a","group":"b"}}`, "spec.group: is there twice"},
		{"large", strings.Repeat("#", 4<<20+1), "the file has 4194305 bytes, more than 4194304"},

		{"v1beta1", replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"), "apiVersion: apiextensions.k8s.io/v1beta1 is not read any more; write the definition in apiextensions.k8s.io/v1 (every API server since 1.16 gives it out so)"},
		{"version", replace("apiextensions.k8s.io/v1", "v1"), `apiVersion: must be apiextensions.k8s.io/v1, not "v1"`},
		{"kind", replace("kind: CustomResourceDefinition", "kind: List"), `kind: must be CustomResourceDefinition, not "List"`},
		{"kind, with another spec", "apiVersion: apps/v1\nkind: Deployment\nspec: {versions: 1}", `kind: must be CustomResourceDefinition, not "Deployment"`},
		{"no apiVersion", replace("apiVersion: apiextensions.k8s.io/v1\n", ""), "apiVersion: is required"},
		{"no kind", replace("kind: CustomResourceDefinition\n", ""), "kind: is required"},
		{"no group", replace("  group: example.com\n", ""), "spec.group: is required"},
		{"odd group", replace("group: example.com", "group: ../etc"), "spec.group: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"},
		{"group of another type", replace("group: example.com", "group: 1"), "spec.group: must be a string, not a number"},
		{"no kind name", replace("kind: Thing, ", ""), "spec.names.kind: is required"},
		{"no plural", replace(", plural: things", ""), "spec.names.plural: is required"},
		{"scope", replace("Namespaced", "namespaced"), "spec.scope: must be Namespaced or Cluster"},
		{"name", replace("name: things", "name: thing"), "metadata.name: must be <spec.names.plural>.<spec.group>, which is things.example.com"},
		{"names", replace("{kind: Thing, plural: things}", "[]"), "spec.names: must be an object, not an array"},
		{"old schema", replace("  scope:", "  validation: {}\n  scope:"), "spec.validation: belongs to apiextensions.k8s.io/v1beta1; v1 has versions[].name and versions[].schema"},

		{"versions", replace("  versions:\n  -", "  versions:\n   "), "spec.versions: must be an array, not an object"},
		{"no versions", valid[:strings.Index(valid, "  versions:")], "spec.versions: exactly one must have storage: true, not 0"},
		{"no name of a version", replace("name: v1, ", ""), "spec.versions[0].name: is required"},
		{"odd name of a version", replace("name: v1, ", "name: 1.0.0, "), "spec.versions[0].name: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"},
		{"two versions of a name", valid + "  - {name: v1, served: true, storage: false, schema: {openAPIV3Schema: {}}}\n", "spec.versions[1].name: v1 is there twice"},
		{"two storage versions", valid + "  - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {}}}\n", "spec.versions: exactly one must have storage: true, not 2"},
		{"no schema", replace("schema: {openAPIV3Schema: {type: object}}", "schema: {}"), "spec.versions[0].schema.openAPIV3Schema: is required"},
		{"null schema", replace("{openAPIV3Schema: {type: object}}", "null"), "spec.versions[0].schema.openAPIV3Schema: is required"},
		{"served", replace("served: true", "served: 1"), "spec.versions[0].served: must be true or false, not a number"},

		{"schema", withSpec(`[]`), spec + ": must be an object, not an array"},
		{"type", withSpec(`{type: int}`), spec + `.type: must be array, boolean, integer, number, object or string, not "int"`},
		{"types", withSpec(`{type: [string]}`), spec + ".type: must be a string, not an array"},
		{"type beside int-or-string", withSpec(`{type: string, x-kubernetes-int-or-string: true}`), spec + ".type: must not be there beside x-kubernetes-int-or-string"},
		{"minimum", withSpec(`{minimum: "1"}`), spec + ".minimum: must be a number, not a string"},
		{"maxLength", withSpec(`{maxLength: 1.5}`), spec + ".maxLength: must be an integer, and not negative"},
		{"minLength", withSpec(`{minLength: -1}`), spec + ".minLength: must be an integer, and not negative"},
		{"minItems", withSpec(`{minItems: true}`), spec + ".minItems: must be an integer, not a boolean"},
		{"multipleOf", withSpec(`{multipleOf: 0}`), spec + ".multipleOf: must be more than 0"},
		{"required", withSpec(`{required: true}`), spec + ".required: must be an array, not a boolean"},
		{"required element", withSpec(`{required: [a, {}]}`), spec + ".required[1]: must be a string, not an object"},
		{"enum", withSpec(`{enum: a}`), spec + ".enum: must be an array, not a string"},
		{"nullable", withSpec(`{nullable: "yes"}`), spec + ".nullable: must be true or false, not a string"},
		{"properties", withSpec(`{properties: {a: {properties: {b: 1}}}}`), spec + ".properties[a].properties[b]: must be an object, not a number"},
		{"items", withSpec(`{items: [{type: string}]}`), spec + ".items: must be an object, not an array"},
		{"additionalProperties", withSpec(`{additionalProperties: false}`), spec + ".additionalProperties: must be true or a schema, not false"},
		{"additionalProperties of another type", withSpec(`{additionalProperties: 1}`), spec + ".additionalProperties: must be an object, not a number"},
		{"additionalProperties, inside", withSpec(`{additionalProperties: {type: 1}}`), spec + ".additionalProperties.type: must be a string, not a number"},
		{"anyOf", withSpec(`{anyOf: [{}, {items: {not: {oneOf: [{allOf: [1]}]}}}]}`), spec + ".anyOf[1].items.not.oneOf[0].allOf[0]: must be an object, not a number"},
		{"$ref", withSpec(`{$ref: "#/x"}`), spec + ".$ref: is not allowed in a structural schema"},
		{"patternProperties", withSpec(`{patternProperties: {}}`), spec + ".patternProperties: is not allowed in a structural schema"},
		{"list type", withSpec(`{x-kubernetes-list-type: bag}`), spec + `.x-kubernetes-list-type: must be atomic, set or map, not "bag"`},
		{"list map without keys", withSpec(`{x-kubernetes-list-type: map}`), spec + ".x-kubernetes-list-map-keys: is required where x-kubernetes-list-type is map"},
		{"list map without items", withSpec(`{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a]}`), spec + `.x-kubernetes-list-map-keys: "a" is not a property of the items`},
		{"list map with the key twice", withSpec(`{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, a], items: {properties: {a: {}}}}`), spec + `.x-kubernetes-list-map-keys: "a" is there twice`},
		{"deep", withSpec(strings.Repeat(`{items: `, 201) + `{}` + strings.Repeat(`}`, 201)), spec + strings.Repeat(".items", 200) + ": schemas are nested deeper than 200 levels"},
		{"large number", `{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"maximum":1e999}}}]}}`, "spec.versions[0].schema.openAPIV3Schema.maximum: must be a number that a float64 can hold"},
	} {
		t.Run(c.name, func(t *testing.T) {
			crd, err := Parse([]byte(c.file))
			if err == nil || err.Error() != c.want || crd != nil {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestParseBounds(t *testing.T) {
	deep := withSpec(strings.Repeat(`{items: `, 199) + `{}` + strings.Repeat(`}`, 199))
	if _, err := Parse([]byte(deep)); err != nil {
		t.Errorf("199 levels: %v", err)
	}
	wide := `{"kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":{"anyOf":[` + strings.Repeat("{},", 100_000) + `{}]}}}]}}`
	want := "spec.versions[0].schema.openAPIV3Schema.anyOf[99999]: the file has more than 100000 schemas"
	if _, err := Parse([]byte(wide)); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for _, name := range "bcdefghi" {
		was := string(name - 1)
		bomb += string(name) + ": &" + string(name) + " [" + strings.Repeat("*"+was+",", 9) + "*" + was + "]\n"
	}
	if _, err := Parse([]byte(bomb)); err == nil {
		t.Error("a bomb of aliases is read")
	}
}

func TestParseWarnings(t *testing.T) {
	crd := parse(t, []byte(withSpec(`{type: string, pattern: "a(?=b)", anyOf: [{pattern: "["}, {pattern: ok}]}`)))
	want := []string{
		"spec.versions[0].schema.openAPIV3Schema.properties[spec].anyOf[0].pattern: is not a regular expression, so nothing is checked against it: error parsing regexp: missing closing ]: `[`",
		"spec.versions[0].schema.openAPIV3Schema.properties[spec].pattern: is not a regular expression, so nothing is checked against it: error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
	}
	if !slices.Equal(crd.Warnings, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(crd.Warnings, "\n\t"), strings.Join(want, "\n\t"))
	}
	if got := violations(t, crd, `{"spec":"x"}`, Options{}); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
