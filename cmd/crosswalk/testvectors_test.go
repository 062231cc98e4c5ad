package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// keeping converts with a stash: v2 has no spec.extra.
const keeping = `kind: Thing
group: example.com
name: thing
version: 1.0.0
conversions:
- from: v2
  to: v1
  rules:
  - {drop: spec.extra, in: v1}
  - {move: spec.name, to: spec.title}
`

const keepingCases = `cases:
- {name: told, from: v1, to: v2, object: {metadata: {name: n}, spec: {title: a, big: 9007199254740993.0}}, want: {spec: {name: a, big: 9007199254740993.0}}}
- {from: v1, to: v2, object: {spec: {title: "<&>"}}, want: {spec: {name: "<&>"}}}
- name: kept
  from: v1
  to: v2
  object: {metadata: {name: n}, spec: {title: a, extra: [1]}}
  want: {spec: {name: a}}
  stash: {/spec/extra: [1]}
  thereAndBack: true
- {name: round, from: v2, to: v1, object: {metadata: {name: n}, spec: {name: a}}, thereAndBack: true}
`

// TestTestVectors tests that --vectors writes each golden case, with the text that the module's
// stash has and a vector for each way back, and that it never writes the answer of a failed case.
func TestTestVectors(t *testing.T) {
	dir := t.TempDir()
	rules, file, vectors := filepath.Join(dir, "rules.yaml"), filepath.Join(dir, "Thing.example.com_v2_v1"), filepath.Join(dir, "vectors.json")
	writeFile(t, rules, keeping)
	if code, out, errors := crosswalk("", "compile", rules, "-o", dir); code != command.ExitOK {
		t.Fatalf("%d %s%s", code, out, errors)
	}
	writeFile(t, file+".yaml", keepingCases+"- {from: v1, to: v2, object: {spec: {title: 1}}, wantError: no}\n")
	code, out, errors := crosswalk("", "test", "--vectors", vectors, dir)
	if code != command.ExitOK || out+errors != "" {
		t.Fatalf("%d %s%s", code, out, errors)
	}
	text := readText(t, vectors)
	compact := strings.Join(strings.Fields(text), "")
	const kept = `{\"v1\":{\"in\":\"v2\",\"kept\":[{\"for\":[],\"hash\":\"82a2a958a9bece5b\",\"set\":{\"/spec/extra\":[1]}}]}}`
	for _, want := range []string{
		`{"name":"cases[0](told)","desiredAPIVersion":"example.com/v2","objects":[{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"n"},"spec":{"title":"a","big":9007199254740993.0}}],` +
			`"want":[{"apiVersion":"example.com/v2","kind":"Thing","metadata":{"name":"n"},"spec":{"name":"a","big":9007199254740993.0}}]}`,
		`{"name":"cases[1]","desiredAPIVersion":"example.com/v2","objects":[{"apiVersion":"example.com/v1","kind":"Thing","spec":{"title":"<&>"}}],"want":[{"apiVersion":"example.com/v2","kind":"Thing","spec":{"name":"<&>"}}]}`,
		`"want":[{"apiVersion":"example.com/v2","kind":"Thing","metadata":{"name":"n","annotations":{"conversion.example.com/stash":"` + kept + `"}},"spec":{"name":"a"}}]},`,
		`{"name":"cases[2](kept),andback","desiredAPIVersion":"example.com/v1","objects":[{"apiVersion":"example.com/v2","kind":"Thing","metadata":{"name":"n","annotations":{"conversion.example.com/stash":"` + kept + `"}},"spec":{"name":"a"}}],` +
			`"want":[{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"n"},"spec":{"title":"a","extra":[1]}}]}`,
		`"name":"cases[3](round)","desiredAPIVersion":"example.com/v1","objects":[{"apiVersion":"example.com/v2","kind":"Thing","metadata":{"name":"n"},"spec":{"name":"a"}}],"want":[{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"n"},"spec":{"title":"a"}}]`,
		`"name":"cases[3](round),andback"`,
		`{"name":"cases[4]","desiredAPIVersion":"example.com/v2","objects":[{"apiVersion":"example.com/v1","kind":"Thing","spec":{"title":1}}],"wantError":"no"}`,
	} {
		if !strings.Contains(compact, want) {
			t.Errorf("missing %s", want)
		}
	}
	if n := strings.Count(text, "\n"); n != 9 || t.Failed() {
		t.Errorf("%d lines:\n%s", n, text)
	}

	writeFile(t, file+".yaml", strings.Replace(keepingCases, "stash: {/spec/extra: [1]}", "stash: {/spec/extra: [2]}", 1))
	code, _, errors = crosswalk("", "test", "--vectors", vectors, dir)
	if want := "crosswalk test: cases[2] (kept): in the stash:\n[\"/spec/extra\"][0]: want 2, got 1\n"; code != command.ExitFinding || errors != want {
		t.Errorf("a failed case: %d %s", code, errors)
	}
	if readText(t, vectors) != text {
		t.Error("the file has changed")
	}

	writeFile(t, file+".yaml", "cases: []\n")
	code, _, errors = crosswalk("", "test", "--vectors", vectors, dir)
	if want := "crosswalk test: Thing.example.com_v2_v1.wasm has no golden cases: write some into its sidecar (docs/author/sidecar.md)\n"; code != command.ExitFinding || errors != want {
		t.Errorf("no cases: %d %s", code, errors)
	}
	code, _, errors = crosswalk("", "test", "--vectors", vectors, "--update", dir)
	if want := "crosswalk test: --vectors only writes golden cases: omit --update, --live and -f (crosswalk test --help says more)\n"; code != command.ExitError || errors != want {
		t.Errorf("with --update: %d %s", code, errors)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Errorf("left files: %v, %v", entries, err)
	}
}

// TestCompileLossy tests that the losses that a file of rules accepts are in the sidecar of its
// module, and that test accepts them and advises their form.
func TestCompileLossy(t *testing.T) {
	dir := t.TempDir()
	crd, rules := filepath.Join(dir, "crd.yaml"), filepath.Join(dir, "rules.yaml")
	writeFile(t, crd, `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {count: {type: string}}}}}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {count: {type: integer, minimum: 0, maximum: 9}}}}}}}
`)
	const text = "kind: Thing\ngroup: example.com\nconversions:\n- {from: v1, to: v2, rules: [{convert: spec.count, as: [string, integer]}]}\n" +
		"cases:\n- {from: v1, to: v2, object: {spec: {count: \"1\"}}, want: {spec: {count: 1}}}\n"
	const entry = `- {from: v1, to: v2, path: "spec.count", reason: "…"}`
	for accepted, want := range map[string]int{"": command.ExitFinding, "lossy:\n" + entry + "\n": command.ExitOK} {
		writeFile(t, rules, text+accepted)
		if code, out, errors := crosswalk("", "compile", rules, "-o", dir); code != command.ExitOK {
			t.Fatalf("%d %s%s", code, out, errors)
		}
		code, out, errors := crosswalk("", "test", "--crd", crd, filepath.Join(dir, "Thing.example.com_v1_v2.wasm"))
		if code != want || strings.Contains(out, "  lossy:\n  "+entry+"\n") != (want == command.ExitFinding) {
			t.Errorf("%q: %d %s%s", accepted, code, out, errors)
		}
	}
}
