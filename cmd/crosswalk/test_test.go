package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

const fixedCases = `# why these cases
cases:
# the first
- name: right
  from: v1
  to: v2
  object: {}
  want: {spec: {big: 9007199254740993, ratio: 1.0, hosts: [a, b]}}
- {name: wrong, from: v1, to: v2, object: {metadata: {name: n}}, want: {spec: {big: 9007199254740992, ratio: 1, more: x}}} # to correct
- name: not refused
  from: v2
  to: v1
  object: {}
  wantError: no
`

// TestTest tests that test lists every difference of every case, and that --update writes the
// answers and keeps comments.
func TestTest(t *testing.T) {
	dir := t.TempDir()
	built := moduleFile(t, "golden_fixed", echo, fixedCases)
	if err := os.Mkdir(filepath.Join(dir, "build"), 0o755); err != nil {
		t.Fatal(err)
	}
	copyFile(t, built, filepath.Join(dir, "build", echo+".wasm"))
	writeFile(t, filepath.Join(dir, "build", echo+".yaml"), fixedCases)
	writeFile(t, filepath.Join(dir, echo+".yaml"), fixedCases)

	code, out, errors := crosswalk("", "test", dir)
	for _, want := range []string{
		echo + ".wasm\n  FAIL   v1→v2  cases[1] (wrong)\n         spec.big: want 9007199254740992, got 9007199254740993\n         spec.hosts: want nothing, got [\"a\",\"b\"]\n" +
			"         spec.more: want \"x\", got nothing\n         spec.ratio: want 1, got 1.0\n",
		"  FAIL   v2→v1  cases[2] (not refused)\n         the module converts the object, which it should refuse with \"no\"\n",
		"  FAIL   a gateway serves it\n", "  skip   its definition has what it converts\n",
		"  skip   generated objects come back whole\n         objects are generated from a CustomResourceDefinition, and there is none: name it with --crd, or put a copy beside the module\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("missing %s", want)
		}
	}
	if code != command.ExitFinding || strings.Contains(out, "  ok ") || errors != "" {
		t.Errorf("%d %s%s", code, out, errors)
	}

	code, out, errors = crosswalk("", "test", "--update", dir)
	if code != command.ExitFinding || strings.Contains(out, "FAIL   v1→v2  cases[") || strings.Contains(out, "FAIL   a gateway serves it") || errors != "" { // the fixture fails at conformance
		t.Errorf("%d %s%s", code, out, errors)
	}
	const updated = `# why these cases
cases:
# the first
- name: right
  from: v1
  to: v2
  object: {}
  want: {spec: {big: 9007199254740993, ratio: 1.0, hosts: [a, b]}}
`
	text := readText(t, filepath.Join(dir, echo+".yaml"))
	if !strings.HasPrefix(text, updated) || !strings.Contains(text, "# to correct") || strings.Contains(text, "wantError") {
		t.Errorf("the sidecar is\n%s", text)
	}
	if beside := readText(t, filepath.Join(dir, "build", echo+".yaml")); beside != text {
		t.Errorf("the sidecar beside the module is\n%s", beside)
	}
	_, out, _ = crosswalk("", "test", "--verbose", dir)
	for _, want := range []string{"  ok     v1→v2  cases[1] (wrong)\n", "  ok     v2→v1  cases[2] (not refused)\n", "  ok     a gateway serves it\n", "  ok     it fits a ConfigMap\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("after the update, missing %s in\n%s", want, out)
		}
	}

	writeFile(t, filepath.Join(dir, echo+".yaml"), fixedCases)
	if _, out, _ := crosswalk("", "test", dir); !strings.Contains(out, "  FAIL   the sidecar is up to date\n") {
		t.Errorf("an old copy of the sidecar is not found: %s", out)
	}
}

// TestTestSchemas tests the checks against a definition.
func TestTestSchemas(t *testing.T) {
	const cases = `fields: {v1: [spec.sise], v2: [spec.address]}
cases:
- {from: v1, to: v2, object: {spec: {size: 1, other: 2}}, want: {apiVersion: example.com/v2, spec: {size: 1}}}
- {from: v1, to: v2, object: {spec: {size: [1]}}, want: {apiVersion: example.com/v2, spec: {size: [1]}}}
`
	path := moduleFile(t, "good_echo", things, cases)
	writeFile(t, filepath.Join(filepath.Dir(path), "things.example.com.crd.yaml"), twoVersions)
	_, out, errors := crosswalk("", "test", "--verbose", "--quiet", path)
	for _, want := range []string{
		"  ok     its definition has what it converts\n",
		"  FAIL   its declared fields exist\n         declares spec.sise of v1, which its schema does not have (things.example.com.crd.yaml): is it misspelt?\n",
		"  note   v1→v2  the schemas accept cases[1]\n         object: spec.size: ", // no API server stores it
		"  FAIL   v1→v2  the schemas accept cases[0]\n         object: spec.other: ", "         want: spec.size: must be a string, not ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("missing %s in\n%s%s", want, out, errors)
		}
	}
	crd := filepath.Join(t.TempDir(), "crd.yaml")
	writeFile(t, crd, strings.ReplaceAll(twoVersions, "name: v2", "name: v3"))
	if code, out, errors := crosswalk("", "test", "--crd", crd, path); code != command.ExitFinding || errors != "" || !strings.Contains(out, "  FAIL   its definition has what it converts\n         "+crd+" has no version v2\n") {
		t.Errorf("%d %s%s", code, out, errors)
	}
}

// TestTestExamples tests that the modules of the repository pass.
func TestTestExamples(t *testing.T) {
	dir, _ := exampleDir(t)
	if code, out, errors := crosswalk("", "test", "--crd", filepath.Join(dir, "crd.yaml"), filepath.Join(dir, "modules")); code != command.ExitOK || errors != "" {
		t.Errorf("%d %s%s", code, out, errors)
	}
	if code, _, errors := crosswalk("", "test", t.TempDir()); code != command.ExitError || !strings.HasSuffix(errors, ": build the converter first\n") {
		t.Errorf("an empty directory: %d %s", code, errors)
	}
}

// TestCheckFinds tests that check --crd prints a line for each loss, and says when its time was over.
func TestCheckFinds(t *testing.T) {
	path := moduleFile(t, "golden_fixed", things, "")
	crd := filepath.Join(t.TempDir(), "crd.yaml")
	writeFile(t, crd, twoVersions)
	code, out, errors := crosswalk("", "check", "--crd", crd, path)
	if code != command.ExitFinding || !strings.HasPrefix(out, "serves   "+things+".wasm: ") || !strings.Contains(out, "\nFINDING  "+things+".wasm: v1→v2 spec.big: cut (") || errors != "" {
		t.Errorf("%d %s%s", code, out, errors)
	}
	_, out, _ = crosswalk("", "test", "--crd", crd, path)
	if !strings.Contains(out, "  FAIL   v1→v2 spec.big: cut (") {
		t.Errorf("test: %s", out)
	}
	_, out, _ = crosswalk("", "test", "--for", "0", "--crd", crd, path)
	if strings.Contains(out, "spec.big: cut") {
		t.Errorf("test --for 0: %s", out)
	}
	for _, command := range []string{"check", "test"} { // a verdict of fewer objects says so
		if _, out, _ = crosswalk("", command, "--for", "1ns", "--crd", crd, path); !strings.Contains(out, "note ") || !strings.Contains(out, "the time of 1ns was over after 0 of 10") {
			t.Errorf("%s --for 1ns: %s", command, out)
		}
	}
}
