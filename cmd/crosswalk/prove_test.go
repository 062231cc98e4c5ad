package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

const provedDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {kind: CronTab, plural: crontabs}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {colour: {type: string}}}}}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}MORE}}}}}}
`

// provedRules are rules for provedDefinition without MORE, which lose nothing.
const provedRules = "kind: CronTab\ngroup: stable.example.com\nconversions:\n- from: v1\n  to: v2\n  rules:\n  - {rename: spec.colour, to: spec.color}\n"

// TestProve tests the answers of the command, and its exit codes.
func TestProve(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const head = "kind: CronTab\ngroup: stable.example.com\nconversions:\n- from: v1\n  to: v2\n  rules:\n"
	rename := write("rename.yaml", provedRules)
	translate := write("translate.yaml", head+"  - {translate: spec.colour, to: spec.color, values: [[1, 2]]}\n")
	same, more := write("same.yaml", strings.ReplaceAll(provedDefinition, "MORE", "")), write("more.yaml", strings.ReplaceAll(provedDefinition, "MORE", ", size: {type: integer}"))
	module := filepath.Join(dir, "CronTab.stable.example.com_v1_v2.wasm")
	if code, out, errs := crosswalk("", "compile", "--crd", same, rename, "-o", module); code != command.ExitOK || !strings.HasSuffix(out, ", proved to lose nothing\n  carries all 2 fields that differ; 100 % of v1's objects are valid at v2, 100 % of v2's at v1\n") {
		t.Fatal(out, errs)
	}
	sum := sha256.Sum256([]byte(provedRules))
	if _, out, _ := crosswalk("", "inspect", module); !strings.Contains(out, fmt.Sprintf("proof        of the rules %x for the schemas ", sum[:6])) {
		t.Errorf("inspect: %s", out)
	}
	described := write("described.yaml", strings.Replace(strings.ReplaceAll(provedDefinition, "MORE", ""), "type: string", "type: string, description: text for people", 1))
	for crd, other := range map[string]bool{same: false, described: false, more: true} {
		code, out, _ := crosswalk("", "check", "--for", "0s", "--crd", crd, module)
		if want := map[bool]int{true: command.ExitFinding}[other]; code != want || !strings.Contains(out, "; states a proof of the rules ") || strings.Contains(out, "for schemas that differ from") != other {
			t.Errorf("check: %s", out)
		}
		code, out, _ = crosswalk("", "test", "--for", "0s", "--crd", crd, module)
		if strings.Contains(out, "FAIL   its proof is for the schemas\n         states a proof for schemas that differ from ") != other || other && code != command.ExitFinding {
			t.Errorf("test: %s", out)
		}
	}
	if _, out, _ := crosswalk("", "compile", "--crd", more, rename, "-o", filepath.Join(dir, "more")+"/"); strings.Contains(out, "proved") {
		t.Errorf("rules that lose something: %s", out)
	}
	broken := write("broken.yaml", head+"  - {rename: spec.colour}\n")
	for _, c := range []struct {
		name      string
		args      []string // of prove, or of fuzz
		code      int
		out, errs string // parts of it
	}{
		{"proved", []string{"prove", "--crd", same, rename}, command.ExitOK, "holds  line 7: rename spec.colour\nproved: no object of v1, v2 loses anything", ""},
		{"a loss", []string{"prove", "--crd", more, rename}, command.ExitFinding, "counterexample: v2→v1→v2 spec.size: lost", ""},
		{"not decided", []string{"prove", "--crd", same, "-o", "json", "--for", "50ms", translate}, command.ExitFinding, `"condition": "partner"`, ""},
		{"a module", []string{"fuzz", "--objects", "50", "--crd", same, module}, command.ExitOK, "50 objects, 0 findings, 0 acknowledged\n", ""},
		{"a module that loses", []string{"fuzz", "--objects", "50", "--crd", more, module}, command.ExitFinding, "FAIL   v2→v1→v2 spec.size: lost", ""},
		{"no definition", []string{"prove", rename}, command.ExitError, "", "--crd is required"},
		{"no rules", []string{"prove", "--crd", same, "module.go"}, command.ExitError, "", "module.go has no rules (.yaml)"},
		{"a mistake", []string{"prove", "--crd", same, broken}, command.ExitFinding, "", "broken.yaml:7:5: a rule rename needs the member to"},
		{"another kind", []string{"prove", "--crd", write("other.yaml", strings.NewReplacer("stable.", "", "MORE", "").Replace(provedDefinition)), rename}, command.ExitFinding, "", "defines CronTab.example.com"},
	} {
		code, out, errs := crosswalk("", c.args...)
		if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.errs) {
			t.Errorf("%s: %d\n%s\n%s", c.name, code, out, errs)
		}
	}
}
