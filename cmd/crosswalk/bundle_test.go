package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestBundle makes a module of an interpreter and a script, and converts with it.
func TestBundle(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles Go's runtime")
	}
	dir := t.TempDir()
	interpreter := filepath.Join(dir, "rename.wasm")
	build := exec.Command("go", "build", "-trimpath", "-o", interpreter, "./testdata/rename")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	scripts := filepath.Join(dir, "scripts")
	if err := os.MkdirAll(filepath.Join(scripts, "v2"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(scripts, "v2", "names"), "replicas size")
	script := filepath.Join(dir, "main.rename")
	writeFile(t, script, "/scripts/v2/names")
	module := filepath.Join(dir, "Disk.example.com_v1_v2.wasm")
	sidecar := filepath.Join(dir, "Disk.example.com_v1_v2.yaml")

	writeFile(t, sidecar, "cases:\n- {name: a, from: v1, to: v2, object: {spec: {replicas: 2}}, want: {spec: {size: 3}}}\n")
	code, _, stderr := crosswalk("", "compile", "--quiet", interpreter, script, scripts, "-o", module)
	if code != command.ExitFinding || !strings.Contains(stderr, "makes a module that a gateway would not serve") {
		t.Errorf("a case that fails: exit %d: %s", code, stderr)
	}
	if _, err := os.Stat(module); err == nil {
		t.Error("a module whose case fails was written")
	}

	writeFile(t, sidecar, "cases:\n- {name: a, from: v1, to: v2, object: {spec: {replicas: 2}}, want: {spec: {size: 2}}}\n")
	code, stdout, stderr := crosswalk("", "compile", "--quiet", "--arg", "-v", interpreter, script, scripts, "-o", module)
	if code != command.ExitOK || !strings.HasPrefix(stdout, module+": ") {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = crosswalk(`{"apiVersion":"example.com/v1","kind":"Disk","spec":{"replicas":7}}`, "convert", "--quiet", "--to", "v2", "-o", "json", module)
	if code != command.ExitOK || !strings.Contains(strings.Join(strings.Fields(stdout), ""), `"spec":{"size":7}`) {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}

	other := filepath.Join(dir, "other.wasm")
	writeFile(t, other, "no module")
	component := filepath.Join(dir, "x.component.wasm")
	writeFile(t, component, "\x00asm\x0d\x00\x01\x00")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{interpreter}, command.ExitError, "crosswalk compile: name the scripts, too: crosswalk compile " + interpreter + " SCRIPT… (crosswalk compile --help says more)\n"},
		{[]string{interpreter, script}, command.ExitError, "crosswalk compile: name the module with -o: its name has the kind, the group and the versions, such as CronTab.stable.example.com_v1_v2.wasm (crosswalk compile --help says more)\n"},
		{[]string{other, script, "-o", module}, command.ExitFinding, "crosswalk compile: " + other + ": not a module that can be run: module, byte 0: does not begin like a WebAssembly module\n"},
		{[]string{interpreter, dir + "/missing", "-o", module}, command.ExitError, "crosswalk compile: lstat " + dir + "/missing: no such file or directory\n"},
		{[]string{component}, command.ExitError, "crosswalk compile: " + component + " is a component; only core modules can be run: build the same source for wasm32-wasip1, or name an interpreter and scripts (see Interpreters in sdk/README.md) (crosswalk compile --help says more)\n"},
		{[]string{"rules.yaml", script}, command.ExitError, "crosswalk compile: name one file: rules such as rules.yaml, or JavaScript such as converter.js; or an interpreter such as lua.wasm, and its scripts (crosswalk compile --help says more)\n"},
		{[]string{"--arg", "-v", "rules.yaml"}, command.ExitError, "crosswalk compile: --arg is for an interpreter such as lua.wasm: omit it for rules.yaml (crosswalk compile --help says more)\n"},
		{[]string{interpreter, "..", "-o", module}, command.ExitError, "crosswalk compile: .. has no name in the module: name its files, or the directory by its name (crosswalk compile --help says more)\n"},
	} {
		if code, _, stderr := crosswalk("", append([]string{"compile"}, c.args...)...); code != c.code || stderr != c.want {
			t.Errorf("%v: exit %d:\n got %swant %s", c.args, code, stderr, c.want)
		}
	}
}
