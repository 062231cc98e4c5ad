package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestFuzzFindsMistakesInJavaScript compiles converters of which each is wrong for rare values only, by way of
// the language: p is the object's spec, s its member text or undefined. Package fuzz has the same
// mistakes, and many more, in Go.
func TestFuzzFindsMistakesInJavaScript(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles converters")
	}
	for _, c := range []struct{ name, mistake, within string }{
		{"none", "", "1000"},
		{"a key of JavaScript", `if (p.get("map").exists) { const c = {}; for (const [k, v] of p.get("map").members()) c[k] = v.string(); p.set("map", c); }`, "4000"},
		{"a literal of the converter", `if (s === "qx-rare-7") p.remove("text");`, "8000"},
		{"beyond 53 bits", `const n = p.value("count"); if (n !== undefined) p.set("count", Number(n));`, "4000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if found, report := foundInJavaScript(t, c.mistake, c.within); found != (c.mistake != "") {
				t.Errorf("found: %v\n%s", found, report)
			}
		})
	}
}

// foundInJavaScript compiles a converter, and reports whether fuzz finds its mistake within so many objects.
func foundInJavaScript(t *testing.T, mistake, within string) (found bool, report string) {
	t.Helper()
	dir := t.TempDir()
	crd, source, module := filepath.Join(dir, "crd.yaml"), filepath.Join(dir, "thing.js"), filepath.Join(dir, "Thing.example.com_v1_v2.wasm")
	writeFile(t, crd, `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
`+thingVersion("v1", "true")+thingVersion("v2", "false"))
	writeFile(t, source, `import { register } from "crosswalk-javascript";
register("example.com/v1", "example.com/v2", there);
register("example.com/v2", "example.com/v1", () => {});
function there(o) { const p = o.get("spec"), s = p.string("text"); `+mistake+` }
`)
	if code, _, errors := crosswalk("", "compile", "-o", module, source); strings.Contains(errors, "built without the JavaScript engine") {
		t.Skip(errors)
	} else if code != command.ExitOK {
		t.Fatal(errors)
	}
	code, report, errors := crosswalk("", "fuzz", "--crd", crd, "--objects", within, "--for", "10m", module)
	if code != command.ExitOK && code != command.ExitFinding || strings.Contains(report, "TypeError") || strings.Contains(report, "ReferenceError") {
		t.Fatalf("exit code %d: %s%s", code, report, errors)
	}
	return code == command.ExitFinding && (strings.Contains(report, "spec.") || strings.Contains(report, "metadata.")), report
}

// TestFuzzReportsOneCauseOnce reads all integers as floating-point numbers, which is one mistake in each
// direction, and the API server rejects those beyond 64 bits.
func TestFuzzReportsOneCauseOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a converter")
	}
	_, report := foundInJavaScript(t, `if (p.exists) o.set("spec", JSON.parse(p.raw()));`, "1000")
	if n := strings.Count(report, "FAIL"); n == 0 || n > 3 || !strings.Contains(report, "because integers become floating-point numbers") {
		t.Errorf("%d findings for one mistake:\n%s", n, report)
	}
}

func thingVersion(name, storage string) string {
	return "  - name: " + name + "\n    served: true\n    storage: " + storage + `
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              text: {type: string}
              mode: {type: string, enum: [Fast, Slow, Paused]}
              list: {type: array, items: {type: string}}
              items: {type: array, items: {type: object, properties: {name: {type: string}, value: {type: string}}}}
              map: {type: object, additionalProperties: {type: string}}
              inner: {type: object, properties: {a: {type: string}, b: {type: string}}}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              count: {type: integer, format: int64}
              share: {type: number}
              flag: {type: boolean}
              port: {x-kubernetes-int-or-string: true}
`
}
