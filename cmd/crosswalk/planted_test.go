package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// planted is a mistake in a converter whose versions have the same schema, written in JavaScript: p is
// the object's spec, s its member text or undefined.
type planted struct {
	name, mistake string
	within        string // so many objects, half of each version; "" is 4,000
}

// plantedMistakes were used to improve fuzz: it finds each of them.
var plantedMistakes = []planted{
	// Lists and maps.
	{"more than three elements", `const l = p.value("list"); if (l?.length > 3) p.set("list", l.slice(0, 3));`, ""},
	{"more than sixteen elements", `const l = p.value("list"); if (l?.length > 16) p.set("list", l.slice(0, 16));`, ""},
	{"an empty list", `if (p.value("list")?.length === 0) p.remove("list");`, ""},
	{"a sorted list", `const l = p.value("list"); if (l) p.set("list", l.sort());`, ""},
	{"an element twice", `const l = p.value("list"); if (l) p.set("list", [...new Set(l)]);`, ""},
	{"the last element", `const l = p.value("items"); if (l?.length > 1) p.set("items", l.slice(0, -1));`, ""},
	{"elements without a name", `const l = p.value("items"); if (l) p.set("items", l.filter((e) => e.name !== undefined));`, ""},
	{"elements by name", `const l = p.value("items"); if (l) { const m = new Map(); for (const e of l) m.set(e.name, e); p.set("items", [...m.values()]); }`, ""},
	{"a member of each element but the first", `const l = p.value("items"); if (l) { l.slice(1).forEach((e) => delete e.value); p.set("items", l); }`, ""},
	{"a key of JavaScript", `if (p.get("map").exists) { const c = {}; for (const [k, v] of p.get("map").members()) c[k] = v.string(); p.set("map", c); }`, ""},
	{"an empty map", `const m = p.value("map"); if (m && Object.keys(m).length === 0) p.remove("map");`, ""},
	{"an empty value in a map", `for (const [k, v] of p.members("map")) if (v.string() === "") p.get("map").remove(k);`, ""},
	{"a key with a dot", `for (const [k] of p.members("map")) if (k.includes(".")) p.get("map").remove(k);`, ""},
	{"keys in lower case", `for (const [k, v] of p.members("map")) if (k !== k.toLowerCase()) p.get("map").rename(k, k.toLowerCase());`, ""},
	// Texts.
	{"an empty text", `if (s === "") p.remove("text");`, ""},
	{"a length of 17", `if (s?.length === 17) p.set("text", s.slice(1));`, ""},
	{"a length of 63", `if (s?.length === 63) p.remove("text");`, ""},
	{"cut at 253", `if (s?.length > 253) p.set("text", s.slice(0, 253));`, ""},
	{"space around a text", `if (s !== undefined) p.set("text", s.trim());`, ""},
	{"ends of lines", `if (s?.includes("\r\n")) p.set("text", s.replaceAll("\r\n", "\n"));`, ""},
	{"the last end of line", `if (s?.endsWith("\n")) p.set("text", s.slice(0, -1));`, ""},
	{"lower case", `if (s !== undefined) p.set("text", s.toLowerCase());`, ""},
	{"composed characters", `if (s !== undefined) p.set("text", s.normalize("NFC"));`, ""},
	{"characters beyond 16 bits", `if (s !== undefined) p.set("text", s.split("").filter((c) => c < "\ud800" || c > "\udfff").join(""));`, ""},
	{"main", `if (s === "main") p.remove("text");`, ""},
	{"default", `if (s === "default") p.remove("text");`, ""},
	{"a literal of the converter", `if (s === "qx-rare-7") p.remove("text");`, "8000"},
	{"a quantity", `if (s === "1024Ki") p.set("text", "1Mi");`, ""},
	{"a text that is a number", `if (s !== undefined && s !== "" && !isNaN(s)) p.set("text", String(Number(s)));`, ""},
	{"a text that is a boolean", `if (s === "true" || s === "false") p.remove("text");`, ""},
	{"the second colon", `if (s !== undefined) p.set("text", s.split(":").slice(0, 2).join(":"));`, ""},
	{"a word of the enumeration", `if (p.string("mode") === "Slow") p.set("mode", "Fast");`, ""},
	{"a prefix", `if (s?.startsWith("kube-")) p.set("text", s.slice(5));`, ""},
	// Numbers and booleans.
	{"zero", `if (p.int("count") === 0) p.remove("count");`, ""},
	{"a negative number", `const n = p.int("count"); if (n < 0) p.set("count", -n);`, ""},
	{"beyond 32 bits", `const n = p.int("count"); if (n > 2147483647) p.set("count", 2147483647);`, ""},
	{"beyond 53 bits", `const n = p.value("count"); if (n !== undefined) p.set("count", Number(n));`, ""},
	{"a fraction", `const n = p.value("share"); if (typeof n === "number") p.set("share", Math.round(n));`, ""},
	{"false", `if (p.bool("flag") === false) p.remove("flag");`, ""},
	{"a port that is a name", `const v = p.value("port"); if (typeof v === "string") p.remove("port");`, ""},
	// Objects and absence.
	{"an empty object", `const i = p.value("inner"); if (i && Object.keys(i).length === 0) p.remove("inner");`, ""},
	{"one member without the other", `const i = p.value("inner"); if (i && "a" in i && !("b" in i)) p.remove("inner");`, ""},
	{"both members", `const i = p.value("inner"); if (i?.a && i?.b) { delete i.b; p.set("inner", i); }`, ""},
	{"a default", `if (!p.get("mode").exists) p.set("mode", "Fast");`, ""},
	{"an unknown member", `const f = p.value("free"); if (f) { for (const k of Object.keys(f)) if (typeof f[k] === "object") delete f[k]; p.set("free", f); }`, ""},
	{"two fields at once", `if (p.bool("flag") && p.int("count") > 0) p.remove("share");`, ""},
	// Metadata.
	{"a dot in the name", `if (o.get("metadata").string("name")?.includes(".")) p.remove("text");`, ""},
	{"a label", `o.removeLabel("app");`, ""},
	{"the annotation of kubectl", `o.removeAnnotation("kubectl.kubernetes.io/last-applied-configuration");`, ""},
	{"the namespace kube-system", `if (o.get("metadata").string("namespace") === "kube-system") p.remove("text");`, ""},
}

// heldOutMistakes were written before fuzz was tried on them, and fuzz is never changed for them.
var heldOutMistakes = []planted{
	{"a list of one", `const l = p.value("list"); if (l?.length === 1) p.remove("list");`, ""},
	{"the tenth element", `const l = p.value("items"); if (l?.length > 9) { l.splice(9, 1); p.set("items", l); }`, ""},
	{"two elements of one name", `const l = p.value("items"); if (l?.length === 2 && l[0].name === l[1].name) p.set("items", [l[0]]);`, ""},
	{"a text of 64", `if (s?.length > 63) p.set("text", s.slice(0, 63));`, ""},
	{"a text of 1,024", `if (s?.length > 1024) p.remove("text");`, ""},
	{"a tab", `if (s?.includes("\t")) p.set("text", s.replaceAll("\t", " "));`, ""},
	{"a quotation mark", `if (s?.includes('"')) p.set("text", s.replaceAll('"', ""));`, ""},
	{"a backslash", `if (s?.includes("\\")) p.set("text", s.replaceAll("\\", "/"));`, ""},
	{"a percent escape", `if (s?.includes("%")) p.set("text", decodeURIComponent(s.replace(/%(?![0-9A-Fa-f]{2})/g, "%25")));`, ""},
	{"a duration in seconds", `if (s === "60s") p.set("text", "1m");`, ""},
	{"a word of its own", `if (s === "legacy-mode") p.set("text", "legacy");`, "8000"},
	{"a URL", `if (s?.startsWith("https://")) p.set("text", "http" + s.slice(5));`, ""},
	{"a version", `if (s === "v1beta1") p.set("text", "v1");`, ""},
	{"a large port", `if (p.value("port") === 65535) p.remove("port");`, ""},
	{"minus one", `if (p.int("count") === -1) p.remove("count");`, ""},
	{"a small fraction", `const n = p.value("share"); if (typeof n === "number" && n > 0 && n < 1) p.set("share", 0);`, ""},
	{"three conditions", `if (p.bool("flag") === true && p.string("mode") === "Slow" && p.get("inner").exists) p.remove("inner");`, ""},
	{"a null in free data", `const f = p.value("free"); if (f) { for (const k of Object.keys(f)) if (f[k] === null) delete f[k]; p.set("free", f); }`, ""},
	{"a label of 63 characters", `for (const [k, v] of o.get("metadata").members("labels")) if (v.string().length === 63) o.removeLabel(k);`, ""},
	{"an annotation of two lines", `for (const [k, v] of o.get("metadata").members("annotations")) if (v.string().includes("\n")) o.removeAnnotation(k);`, ""},
	{"a map of eleven", `const m = p.value("map"); if (m && Object.keys(m).length > 10) { delete m[Object.keys(m)[10]]; p.set("map", m); }`, ""},
	{"a slash in a key", `for (const [k] of p.members("map")) if (k.includes("/")) p.get("map").remove(k);`, ""},
}

// TestFuzzFindsPlantedMistakes compiles converters of which each is wrong for rare values only: fuzz
// finds the mistake within so many objects.
func TestFuzzFindsPlantedMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles converters")
	}
	for _, m := range append([]planted{{"none", "", ""}}, plantedMistakes...) {
		t.Run(m.name, func(t *testing.T) {
			if found, report := m.found(t); found != (m.mistake != "") {
				t.Errorf("found: %v\n%s", found, report)
			}
		})
	}
}

// TestFuzzFindsHeldOutMistakes counts how many mistakes fuzz finds for which it was not made.
func TestFuzzFindsHeldOutMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles converters")
	}
	count := 0
	for _, m := range heldOutMistakes {
		if found, _ := m.found(t); found {
			count++
		} else {
			t.Logf("not found: %s", m.name)
		}
	}
	if count < leastHeldOut {
		t.Errorf("fuzz finds %d of %d mistakes, and found %d before", count, len(heldOutMistakes), leastHeldOut)
	}
}

// leastHeldOut is what fuzz found at the first try.
const leastHeldOut = 17

// found compiles the converter, and reports whether fuzz finds its mistake.
func (m planted) found(t *testing.T) (found bool, report string) {
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
function there(o) { const p = o.get("spec"), s = p.string("text"); `+m.mistake+` }
`)
	if code, _, errors := crosswalk("", "compile", "-o", module, source); strings.Contains(errors, "built without the JavaScript engine") {
		t.Skip(errors)
	} else if code != command.ExitOK {
		t.Fatal(errors)
	}
	within := m.within
	if within == "" {
		within = "4000"
	}
	code, report, errors := crosswalk("", "fuzz", "--crd", crd, "--objects", within, "--for", "10m", module)
	if code != command.ExitOK && code != command.ExitFinding || strings.Contains(report, "TypeError") || strings.Contains(report, "ReferenceError") {
		t.Fatalf("%s: exit code %d: %s%s", m.name, code, report, errors)
	}
	return code == command.ExitFinding && (strings.Contains(report, "spec.") || strings.Contains(report, "metadata.")), report
}

// TestFuzzReportsOneCauseOnce reads all integers as floating-point numbers, which is one mistake in each
// direction, and the API server rejects those beyond 64 bits.
func TestFuzzReportsOneCauseOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a converter")
	}
	_, report := planted{"JSON.parse", `if (p.exists) o.set("spec", JSON.parse(p.raw()));`, "1000"}.found(t)
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
