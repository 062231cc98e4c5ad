package adopt

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/compare"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/report"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/verdict"
)

// TestRun adopts the operator in testdata: the project builds, natively and as a module, and
// --check notices a change.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	source := filepath.Join(t.TempDir(), "operator")
	if err := os.CopyFS(source, os.DirFS(testOperator)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(source)
	var out bytes.Buffer
	o := Options{Packages: []string{"./api/v1", "./api/v2"}, Dir: "converter", Program: "/of-this-machine/crosswalk", NoRun: true, Out: &out}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if err := isModule(filepath.Join("converter", "Demo.demo.example.com_v2_v1.wasm")); err != nil {
		t.Error(err)
	}
	if !strings.HasSuffix(out.String(), "\nverdict: not compared\n") || strings.Contains(out.String(), "runs it on this machine") {
		t.Errorf("printed was %s", &out)
	}
	for _, name := range []string{"go.mod", "main.go", "adopt_test.go", "Makefile", "README.md", "adopt.lock", report.File, "Demo.demo.example.com_v2_v1.wasm.gz", "Demo.demo.example.com_v2_v1.wasm.zst"} {
		if _, err := os.Stat(filepath.Join("converter", name)); err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile(filepath.Join("converter", report.File))
	if part := " declarations, 4 KB\n"; !strings.Contains(string(text), part) {
		t.Errorf("the report has no %q, %v: %s", part, err, text)
	}
	if makefile, err := os.ReadFile(filepath.Join("converter", "Makefile")); err != nil || strings.Contains(string(makefile), "/of-this-machine/") || !strings.Contains(string(makefile), "\nCROSSWALK ?= crosswalk\n") {
		t.Errorf("the Makefile names a file of this machine, %v:\n%s", err, makefile)
	}
	for _, mode := range []string{"mod", "vendor"} {
		vet := exec.Command("go", "vet", "-mod="+mode, ".")
		vet.Dir = "converter"
		if text, err := vet.CombinedOutput(); (err == nil) != (mode == "mod") {
			t.Errorf("with -mod=%s, the test has to compile with the operator's own packages, and not with the copies: %v: %s", mode, err, text)
		}
	}
	o.Check = true
	if err := Run(context.Background(), o); err != nil {
		t.Errorf("nothing has changed, but: %v", err)
	}
	name := filepath.Join("api", "v1", "conversion.go")
	text, err = os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(text, "\n// changed\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), o); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), " since converter/adopt.lock was written: example.com/operator/api/v1/conversion.go; run crosswalk adopt again") {
		t.Errorf("a change is reported as %v", err)
	}

	// A module that does not load leaves the earlier one.
	module := filepath.Join("converter", "Demo.demo.example.com_v2_v1.wasm")
	before, err := os.Stat(module)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := os.ReadFile(filepath.Join("converter", "adopt.lock"))
	if err != nil {
		t.Fatal(err)
	}
	bad := errors.New("it does not load")
	o.Check, o.NoRun, o.Try = false, false, func(context.Context, string, []compare.Measurement) (time.Duration, error) { return 0, bad }
	if err := Run(context.Background(), o); !errors.Is(err, bad) {
		t.Errorf("a module that does not load is reported as %v", err)
	}
	if after, err := os.Stat(module); err != nil || !os.SameFile(before, after) {
		t.Errorf("the earlier module is gone: %v", err)
	}
	if after, err := os.ReadFile(filepath.Join("converter", "adopt.lock")); err != nil || !bytes.Equal(lock, after) {
		t.Errorf("the checksums are not the earlier module's: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join("converter", ".crosswalk*")); left != nil {
		t.Errorf("%v are left", left)
	}
}

// TestPlaceKeepsTheModuleT18: a module that differs from the operator's code replaces no earlier one, and neither the
// checksums by which --check knows that the operator's code has changed; any other verdict does.
func TestPlaceKeepsTheModuleT18(t *testing.T) {
	const other, module = "K.g.io_v1_v3.wasm", "K.g.io_v1_v2.wasm"
	made := map[string]string{module: "new", module + ".gz": "new", "adopt.lock": "new"}
	for _, test := range []struct {
		v       verdict.Verdict
		earlier map[string]string
		want    map[string]string
	}{
		{verdict.Equal, map[string]string{module: "old", other: "old", module + ".zst": "old", "adopt.lock": "old"}, made},
		{verdict.NotShown, map[string]string{module: "old", "adopt.lock": "old"}, made},
		{verdict.NotEqual, map[string]string{other: "old", "adopt.lock": "old"}, map[string]string{other: "old", "adopt.lock": "old"}},
		{verdict.NotEqual, map[string]string{"adopt.lock": ""}, made},
	} {
		dir, attempt := t.TempDir(), t.TempDir()
		for name, text := range test.earlier {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{module, module + ".gz"} {
			if err := os.WriteFile(filepath.Join(attempt, name), []byte("new"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if err := place(report.New(&out), attempt, dir, []byte("new"), test.v); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		files, err := os.ReadDir(dir)
		for _, f := range files {
			var text []byte
			text, err = os.ReadFile(filepath.Join(dir, f.Name()))
			got[f.Name()] = string(text)
		}
		if err != nil || !maps.Equal(got, test.want) {
			t.Errorf("%s over %v leaves %v, %v; want %v", test.v, test.earlier, got, err, test.want)
		}
		const stays = "the earlier module and its adopt.lock stay, because the new module is not equal\n"
		if kept := test.want[other] != ""; kept != (out.String() == stays) {
			t.Errorf("%s over %v prints %q", test.v, test.earlier, &out)
		}
	}
}

// withoutZstd gives adopt a zstd that fails, so that it packs with the library, as on a machine without
// the program: the program takes longer than everything else that adopt does here. TestRun has it.
func withoutZstd(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "zstd"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func isModule(file string) error {
	text, err := os.ReadFile(file)
	if err == nil && !bytes.HasPrefix(text, []byte("\x00asm")) {
		err = errors.New("not a module")
	}
	return err
}

// TestRunVersion adopts a version of the operator in testdata from a module proxy, in a directory
// without a go.mod. The proxy is a directory, so the test needs no network.
func TestRunVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	withoutZstd(t)
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy(t)))
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw") // for the removal of the directory
	t.Setenv("GONOSUMDB", "example.com")
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	o := Options{
		Packages: []string{"example.com/operator/api/v1@v1.2.3", "example.com/operator/api/v2@v1.2.3"}, Program: "crosswalk", NoRun: true, Out: &out,
	}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	const dir = "crosswalk-demo"
	vet := exec.Command("go", "vet", "-mod=mod", ".")
	vet.Dir = dir
	if text, err := vet.CombinedOutput(); err != nil {
		t.Errorf("the test does not compile with the operator's packages of the proxy: %v: %s", err, text)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !strings.Contains(string(mod), "example.com/operator v1.2.3\n") {
		t.Errorf("the module needs another version: %v: %s", err, mod)
	}
	o.Check = true
	if err := Run(context.Background(), o); err != nil {
		t.Errorf("nothing has changed, but: %v", err)
	}
	o.Packages[1] = "./api/v2"
	if err := Run(context.Background(), o); err == nil || err.Error() != "./api/v2 has no version: name a version for all packages, or for none" {
		t.Errorf("got %v", err)
	}
}

// proxy writes the operator in testdata as v1.2.3 to a directory, in the form of a module proxy.
func proxy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	publish(t, dir, "example.com/operator", "v1.2.3", os.DirFS(testOperator))
	return dir
}
