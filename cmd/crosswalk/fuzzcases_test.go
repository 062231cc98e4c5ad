package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// fuzzCases are rules whose faults a report from the field found, and fuzz did not.
var fuzzCases = []struct {
	name, v1, v2 string // spec of each version, in YAML's flow style
	rules        string
	objects      int
	given        string
	want         []string // lines of the report of each seed
	none         []string
}{
	{name: "a kept text near the limit",
		v1: `{type: object, properties: {size: {type: integer}, script: {type: string}}}`, v2: `{type: object, properties: {size: {type: integer}}}`,
		rules: "- {drop: spec.script, in: v1}\n", objects: 100,
		want: []string{"FAIL   v1→v2 spec.script: size (with a long value there, of ", "v1: 52 objects reached 10 of 10 goals; size: 1 of 1 kept paths\n"}},
	{name: "each kept list, map and free-form value near the limit",
		v1: `{type: object, properties: {old: {type: object, properties: {l: {type: array, items: {type: string}}, m: {type: object, additionalProperties: {type: integer}}, f: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}}`,
		v2: `{type: object, properties: {size: {type: integer}}}`, rules: "- {drop: spec.old, in: v1}\n- {drop: spec.size, in: v2}\n", objects: 100,
		want: []string{"v1→v2 spec.old.l: size (", "v1→v2 spec.old.l[]: size (", "v1→v2 spec.old.m: size (", "v1→v2 spec.old.f: size (", "; size: 4 of 4 kept paths\n"}},
	{name: "the other version's names for unknown fields",
		v1: `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {host: {type: string}}}`, v2: `{type: object, properties: {host: {type: string}, tls: {type: string}}}`,
		rules: "- {drop: spec.tls, in: v2}\n", objects: 200,
		want: []string{"FAIL   v1→v2 spec.tls: rejected (", "FAIL   v1→v2→v1 spec.unknownField: lost: "},
		none: []string{"v1 spec.tls.", "v1 spec.tls[]", "v2 spec.tls.", "v2 spec.tls[]", "v1 spec.unknownField.", "v1 spec.unknownField[]", "v2 spec.unknownField"}},
	{name: "texts in an annotation that a module reads",
		v1: `{type: object, properties: {a: {type: string}}}`, v2: `{type: object, properties: {a: {type: string}, enabled: {type: boolean}}}`,
		rules: "- {convert: \"metadata.annotations['feature.example.com/enrich']\", to: spec.enabled, as: [string, boolean]}\n", objects: 200,
		want: []string{`FAIL   v1→v2 metadata.annotations.feature.example.com/enrich: refused (.metadata.annotations['feature.example.com/enrich'] must be "true" or "false", but is `}},
	{name: "given objects that their own version cuts or rejects",
		v1:    `{type: object, properties: {kind: {type: string, enum: [A, B]}, pod: {type: object, properties: {metadata: {type: object}, name: {type: string}}}}}`,
		v2:    `{type: object, properties: {kind: {type: string, enum: [A, B]}, pod: {type: object, properties: {metadata: {type: object}, name: {type: string}}}}}`,
		rules: "[]\n", objects: 20,
		given: "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: r, namespace: d}\nspec: {kind: C, pod: {metadata: {labels: {app: x}}, name: n}}\n",
		want:  []string{"note   r: v1 itself cuts spec.pod.metadata.labels, and rejects spec.kind: Unsupported value: \"C\": supported values: \"A\", \"B\"\n"}},
	{name: "a long object in a short line",
		v1: `{type: object, properties: {text: {type: string}}}`, v2: `{type: object, properties: {other: {type: string}}}`,
		rules: "- {drop: spec.text, in: v1}\n- {drop: spec.other, in: v2}\n", objects: 40,
		given: "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: r, namespace: d}\nspec: {text: " + strings.Repeat("abc", 60_000) + "}\n",
		want:  []string{" bytes: -o json has all)\n"}},
}

// TestFuzzCases tests that fuzz finds the faults of compiled rules with few objects of several seeds, and
// that a line about a finding has at most 2 KiB.
func TestFuzzCases(t *testing.T) {
	for _, c := range fuzzCases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			schema := func(spec string) string {
				return "{openAPIV3Schema: {type: object, properties: {spec: " + spec + "}}}"
			}
			for name, text := range map[string]string{
				"crd.yaml":   fmt.Sprintf("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}\n  versions:\n  - {name: v1, served: true, storage: true, schema: %s}\n  - {name: v2, served: true, storage: false, schema: %s}\n", schema(c.v1), schema(c.v2)),
				"rules.yaml": "kind: Thing\ngroup: example.com\nconversions:\n- from: v1\n  to: v2\n  rules:\n" + "    " + strings.ReplaceAll(strings.TrimSuffix(c.rules, "\n"), "\n", "\n    ") + "\n",
				"given.yaml": c.given,
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if code, out, errors := crosswalk("", "compile", "-o", dir, filepath.Join(dir, "rules.yaml")); code != command.ExitOK {
				t.Fatalf("%d: %s%s", code, out, errors)
			}
			seeds := []string{"1", "2"}
			if testing.Short() {
				seeds = seeds[:1]
			}
			for _, seed := range seeds {
				args := []string{"fuzz", "--crd", filepath.Join(dir, "crd.yaml"), "--seed", seed, "--objects", fmt.Sprint(c.objects), dir}
				if c.given != "" {
					args = append(args, "-f", filepath.Join(dir, "given.yaml"))
				}
				_, out, errors := crosswalk("", args...)
				for _, want := range c.want {
					if !strings.Contains(out, want) || errors != "" {
						t.Errorf("seed %s: %q is not in:\n%.4000s%s", seed, want, out, errors)
					}
				}
				for _, line := range strings.Split(out, "\n") {
					for _, none := range c.none {
						if strings.Contains(line, "FAIL ") && strings.Contains(line, none) {
							t.Errorf("seed %s: %s", seed, line)
						}
					}
					if len(line) > 2048 {
						t.Errorf("seed %s: a line of %d bytes: %.100s", seed, len(line), line)
					}
				}
			}
		})
	}
}
