package main

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestFuzzFindsPlantedMistakes compiles converters of which each is wrong for rare values only: fuzz
// finds the mistake within so many objects.
func TestFuzzFindsPlantedMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles converters")
	}
	objects := map[string]string{"a literal of the converter": "4000"} // of some hundred
	const most = "2000"
	dir := t.TempDir()
	crd := filepath.Join(dir, "crd.yaml")
	version := func(name, storage string) string {
		return "  - name: " + name + "\n    served: true\n    storage: " + storage + `
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      text: {type: string}, list: {type: array, items: {type: string}}, map: {type: object, additionalProperties: {type: string}}}}}}}
`
	}
	writeFile(t, crd, `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
`+version("v1", "true")+version("v2", "false"))
	const text = `const s = o.get("spec").string("text"); if (s === undefined) return; `
	for _, c := range []struct{ name, mistake string }{
		{"none", ``},
		{"more than three elements", `const l = o.get("spec").value("list"); if (l?.length > 3) o.get("spec").set("list", l.slice(0, 3));`},
		{"a length of 17", text + `if (s.length === 17) o.get("spec").set("text", s.slice(1));`},
		{"a length of 63", text + `if (s.length === 63) o.get("spec").remove("text");`},
		{"cut at 253", text + `if (s.length > 253) o.get("spec").set("text", s.slice(0, 253));`},
		{"a dot in the name", `if (o.get("metadata").string("name").includes(".")) o.get("spec").remove("text");`},
		{"main", text + `if (s === "main") o.get("spec").remove("text");`},
		{"default", text + `if (s === "default") o.get("spec").remove("text");`},
		{"a literal of the converter", text + `if (s === "qx-rare-7") o.get("spec").remove("text");`},
		{"ends of lines", text + `if (s.includes("\r\n")) o.get("spec").set("text", s.replaceAll("\r\n", "\n"));`},
		{"the annotation of kubectl", `o.removeAnnotation("kubectl.kubernetes.io/last-applied-configuration");`},
		{"a key of JavaScript", `const m = o.get("spec").value("map"); if (m) { const c = {}; for (const [k, v] of o.get("spec").members("map")) c[k] = v.string(); o.get("spec").set("map", c); }`},
		{"a quantity", text + `if (s === "1024Ki") o.get("spec").set("text", "1Mi");`},
	} {
		t.Run(c.name, func(t *testing.T) {
			source, out := filepath.Join(t.TempDir(), "thing.js"), t.TempDir()
			writeFile(t, source, `import { register } from "crosswalk-javascript";
register("example.com/v1", "example.com/v2", there);
register("example.com/v2", "example.com/v1", () => {});
function there(o) { `+c.mistake+` }
`)
			module := filepath.Join(out, "Thing.example.com_v1_v2.wasm")
			if code, _, errors := crosswalk("", "compile", "-o", module, source); strings.Contains(errors, "built without the JavaScript engine") {
				t.Skip(errors)
			} else if code != command.ExitOK {
				t.Fatal(errors)
			}
			code, report, errors := crosswalk("", "fuzz", "--crd", crd, "--objects", cmp.Or(objects[c.name], most), "--for", "10m", module)
			if want := map[bool]int{true: command.ExitOK, false: command.ExitFinding}[c.mistake == ""]; code != want {
				t.Errorf("exit code %d, want %d: %s%s", code, want, report, errors)
			}
			if c.mistake != "" && (!strings.Contains(report, "spec.") && !strings.Contains(report, "metadata.annotations")) {
				t.Errorf("the report says\n%s", report)
			}
		})
	}
}
