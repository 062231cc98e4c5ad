package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestConformanceFinds tests that test passes a correct module and finds the fault of each
// variant of it.
func TestConformanceFinds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds modules")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make")
	}
	dir := newProject(t, "go", "--kind", "CronTab.stable.example.com", "--versions", "v1,v2")
	main, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, body string
		code       int
		want       []string // in the verdicts
	}{
		{"nothing", "return nil", command.ExitOK, []string{"ok     v1→v2  an answer depends on its object alone\n"}},
		{"remembers", `calls++; o.SetInt(crosswalk.Path{"spec", "calls"}, calls); return nil`, command.ExitFinding,
			[]string{"FAIL   v1→v2  an answer depends on its object alone\n", "note   v1→v2  fragments are converted without added fields\n"}},
		{"loses annotations", `o.Remove("metadata", "annotations"); return nil`, command.ExitFinding,
			[]string{"FAIL   v1→v2  ten thousand objects in one call, each answered in its place\n", "FAIL   v1→v2  text comes through"}},
		{"refuses fragments", `if _, ok, _ := o.String("spec", "example"); !ok { return crosswalk.Errorf(".spec.example is missing") }; return nil`, command.ExitFinding,
			[]string{"FAIL   v1→v2  fragments are converted", "ok     v1→v2  a refusal leaves the other objects alone\n"}},
		{"panics at a wrong type", `if v, _ := o.Get("spec"); v.Type() == crosswalk.TypeString { panic("no object") }; return nil`, command.ExitFinding,
			[]string{"FAIL   v1→v2  wrong types are refused without a crash\n", "failed: the module crashed: panic: no object at "}},
		{"declares its fields", `if v, ok, _ := o.String("spec", "example"); ok { o.SetString(crosswalk.Path{"spec", "copy"}, v) }; return nil }
func init() { crosswalk.Fields("stable.example.com/v1", "spec.example"); crosswalk.Fields("stable.example.com/v2", "spec.copy") }
func init() {`, command.ExitOK, []string{"ok     v1→v2  it reads only fields that it declares\n"}},
		{"does not declare a field", `if v, ok, _ := o.String("spec", "example"); ok { o.SetString(crosswalk.Path{"spec", "copy"}, v) }; return nil }
func init() { crosswalk.Fields("stable.example.com/v1"); crosswalk.Fields("stable.example.com/v2", "spec.copy") }
func init() {`, command.ExitFinding, []string{"FAIL   v1→v2  it reads only fields that it declares\n         it reads a field that it does not declare: "}},
		{"counts with floats", `if _, ok := o.Raw("spec", "conformanceNumbers"); ok { o.SetRaw(crosswalk.Path{"spec", "conformanceNumbers"}, []byte("[9007199254740992]")) }; return nil`, command.ExitFinding,
			[]string{"FAIL   v1→v2  numbers come through"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := strings.Replace(string(main), "\treturn nil\n}", "\t"+c.body+"\n}\n\nvar calls int64\n", 1)
			writeFile(t, filepath.Join(dir, "main.go"), body)
			if out, err := makeTarget(t, dir, "build"); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			wasm := filepath.Join(t.TempDir(), echo+".wasm") // without its cases, which would find some faults first
			if err := os.Rename(filepath.Join(dir, "build", echo+".wasm"), wasm); err != nil {
				t.Fatal(err)
			}
			code, out, errors := crosswalk("", "test", "--quiet", "--verbose", "--for", "0s", "-f", filepath.Join(dir, "sample.json"), wasm)
			if code != c.code {
				t.Errorf("ends with %d, not %d: %s", code, c.code, errors)
			}
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("missing %q in\n%s", want, out)
				}
			}
		})
	}
}

// TestConformanceStartsFresh tests that no check fails by a circuit breaker that an earlier check
// opened, and that none passes with a module that answers nothing.
func TestConformanceStartsFresh(t *testing.T) {
	code, out, errors := crosswalk("", "test", "--quiet", "--verbose", "--for", "0s", moduleFile(t, "x09_unreachable", echo, ""))
	if code != command.ExitFinding || strings.Count(out, "trapped: unreachable") < 20 || strings.Contains(out, "  ok     v") || strings.Contains(out, "breaker") || errors != "" {
		t.Errorf("%d %s%s", code, out, errors)
	}
}

// TestConformanceRefusesAll tests that no check of conversions passes with a module that refuses
// every object.
func TestConformanceRefusesAll(t *testing.T) {
	code, out, errors := crosswalk("", "test", "--quiet", "--verbose", "--for", "0s", moduleFile(t, "good_refuse", echo, ""))
	for _, want := range []string{"  skip   v1→v2  white space makes no difference\n         the module refuses the object that the check uses: give one that it converts, in a golden case or with -f\n",
		"  skip   v2→v1  an answer depends on its object alone\n", "  skip   v2→v1  a refusal leaves the other objects alone\n", "\n4 passed, 14 failed, 9 skipped, 3 notes\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("missing %q", want)
		}
	}
	if code != command.ExitFinding || errors != "" {
		t.Errorf("%d %s%s", code, out, errors)
	}
}

// TestConformanceKnown tests that known failures do not fail the command.
func TestConformanceKnown(t *testing.T) {
	path := moduleFile(t, "x09_unreachable", echo, "")
	var all struct {
		Results []struct{ Check, Verdict string }
	}
	_, out, _ := crosswalk("", "test", "--quiet", "--for", "0s", "-o", "json", path)
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	sidecar := "known:\n"
	listed := map[string]bool{}
	for _, r := range all.Results {
		if r.Verdict == "FAIL" && !listed[r.Check] {
			listed[r.Check] = true
			sidecar += "- {check: \"" + r.Check + "\", reason: it traps}\n"
		}
	}
	writeFile(t, strings.TrimSuffix(path, "wasm")+"yaml", sidecar+"- {check: a refusal leaves the other objects alone, from: v1, to: v2, reason: it does}\n")
	code, out, errors := crosswalk("", "test", "--quiet", "--verbose", "--for", "0s", path)
	if code != command.ExitOK || !strings.Contains(out, "known  v1→v2  an object nested 500 deep\n         it traps\n") || !strings.Contains(out, " 0 failed, ") || errors != "" {
		t.Errorf("%d %s%s", code, out, errors)
	}
}
