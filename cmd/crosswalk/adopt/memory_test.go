package adopt

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// copyMemory copies the operator, whose repository is that of Crosswalk otherwise, and the modules of
// others that it requires.
func copyMemory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"memory", "third"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS("testdata/"+name)); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "memory")
}

// TestMemory asks a program of the operator which conversions depend on its main and on the flags of
// its build, and asserts that the same ones are reported: no variable's name is in most of the changes.
func TestMemory(t *testing.T) {
	dir := copyMemory(t)
	run := func(args ...string) map[string]string {
		cmd := exec.Command("go", append([]string{"run"}, args...)...)
		cmd.Dir, cmd.Stderr, cmd.Env = dir, os.Stderr, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		results := map[string]string{}
		for line := range strings.Lines(string(out)) {
			name, result, _ := strings.Cut(line, " ")
			results[name] = result
		}
		return results
	}
	without := run("./cmd/manager")
	with := run("-tags=enterprise", "-ldflags=-X example.com/memory/v1.build=1", "./cmd/manager", "set")
	p, err := operator.Load(context.Background(), operator.Workplace{Dir: dir, Patterns: []string{"./v1", "./v2"}})
	if err != nil {
		t.Fatal(err)
	}
	kinds, _ := discover.Find(p)
	if len(kinds) != len(without) || len(kinds) < 120 {
		t.Errorf("there are %d kinds, and the program prints %d", len(kinds), len(without))
	}
	module, err := operator.Load(context.Background(), operator.Workplace{Dir: apiModule(t, dir), Patterns: []string{"./v1", "./v2"}})
	if err != nil {
		t.Fatal(err)
	}
	alone := map[string]discover.Resource{}
	for _, k := range first(discover.Find(module)) {
		alone[k.Name] = k
	}
	for _, k := range kinds {
		lines := strings.Join(depends(t, p, k), "\n")
		if without[k.Name] != with[k.Name] && !slices.Contains(linked, k.Name) && len(depends(t, module, alone[k.Name])) == 0 {
			t.Errorf("%s depends on the operator's main, which is in another module; nothing is reported", k.Name)
		}
		if depends := without[k.Name] != with[k.Name]; depends != (lines != "") && !(slices.Contains(strict, k.Name) && lines != "") {
			t.Errorf("%s depends on the operator's main or build: %t; reported: %q", k.Name, depends, lines)
		}
		t.Log(k.Name, lines)
	}
}

// strict are kinds that are reported although no main changes their state: a function stores the address of
// memory by way of a pointer, and what its callers do with it is not followed.
var strict = []string{"Paired", "Peeked", "Sibling"}

// linked are kinds whose state only the syntax of main shows: it names what is not exported.
var linked = []string{"Linked", "Pushed"}

func first(kinds []discover.Resource, _ []string) []discover.Resource { return kinds }

// apiModule copies the operator without its programs, as an API package that is a module of its own.
func apiModule(t *testing.T, operator string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "memory")
	if err := os.CopyFS(dir, os.DirFS(operator)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "cmd")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(filepath.Dir(dir), "third"), os.DirFS("testdata/third")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestTagsOfTheUser asserts that a tag in GOFLAGS, with which everything is compiled, is not reported.
func TestTagsOfTheUser(t *testing.T) {
	t.Setenv("GOFLAGS", "-tags=enterprise")
	p, err := operator.Load(context.Background(), operator.Workplace{Dir: copyMemory(t), Patterns: []string{"./v1", "./v2"}})
	if err != nil {
		t.Fatal(err)
	}
	kinds, _ := discover.Find(p)
	for _, k := range kinds {
		if k.Name != "Tagged" {
			continue
		}
		if lines := depends(t, p, k); len(lines) > 0 {
			t.Errorf("reported: %q", lines)
		}
	}
}

// TestSetUpOfMemory asserts that set-up code which changes a variable's memory sets it.
func TestSetUpOfMemory(t *testing.T) {
	p, err := operator.Load(context.Background(), operator.Workplace{Dir: copyMemory(t), Patterns: []string{"./v1", "./v2"}, SetUp: "testdata/setup/memory.go"})
	if err != nil {
		t.Fatal(err)
	}
	kinds, _ := discover.Find(p)
	set := []string{"Getter", "Method", "Interface", "Shared", "Slice", "Filled", "Map", "Closure", "Reflect", "Listed", "Read", "Lazy", "Field", "Nested", "Scanned", "Inlined", "Accessed", "Directed"}
	unset := []string{"Exported", "Alias", "Embedded", "Kept", "Once", "Hook", "Generic", "Tuned", "Started", "Registered", "Looked", "Memorized", "Panelled", "Optional"}
	for _, k := range kinds {
		isSet := slices.Contains(set, k.Name)
		if !isSet && !slices.Contains(unset, k.Name) {
			continue
		}
		if lines := depends(t, p, k); isSet != (len(lines) == 0) {
			t.Errorf("%s is set: %t, reported: %q", k.Name, isSet, lines)
		}
	}
}

// TestLibrariesByName asserts that flags and feature gates of libraries are reported where conversions
// ask them: the memory that their main sets is behind maps, interfaces and atomic values.
func TestLibrariesByName(t *testing.T) {
	p, err := operator.Load(context.Background(), operator.Workplace{Dir: copyMemory(t), Patterns: []string{"./v1", "./v2"}})
	if err != nil {
		t.Fatal(err)
	}
	kinds, _ := discover.Find(p)
	want := map[string]string{
		"Pflagged": "depends on the command line: github.com/spf13/pflag.FlagSet.GetString (v1/gates.go:22)",
		"Concrete": "depends on feature gates: k8s.io/component-base/featuregate.featureGate.Enabled (v1/gates.go:41)",
		"Abstract": "depends on feature gates: k8s.io/component-base/featuregate.FeatureGate.Enabled (v1/gates.go:61)",
	}
	for _, k := range kinds {
		line, ok := want[k.Name]
		if !ok {
			continue
		}
		delete(want, k.Name)
		if lines := depends(t, p, k); !slices.Contains(lines, line) {
			t.Errorf("%s: reported: %q, want among them %s", k.Name, lines, line)
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}
