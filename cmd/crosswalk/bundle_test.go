package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBundle makes a module of an interpreter and a script, and converts with it.
func TestBundle(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles Go's runtime")
	}
	dir := t.TempDir()
	interpreter := filepath.Join(dir, "rename.wasm")
	build := exec.Command("go", "build", "-o", interpreter, "./testdata/rename")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	scripts := filepath.Join(dir, "scripts")
	if err := os.MkdirAll(filepath.Join(scripts, "v2"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(scripts, "v2", "names"), "replicas size")
	script := filepath.Join(dir, "main.rename")
	write(t, script, "/scripts/v2/names")
	module := filepath.Join(dir, "Disk.example.com_v1_v2.wasm")
	sidecar := filepath.Join(dir, "Disk.example.com_v1_v2.yaml")

	write(t, sidecar, "cases:\n- {name: a, from: v1, to: v2, object: {spec: {replicas: 2}}, want: {spec: {size: 3}}}\n")
	code, _, stderr := crosswalk("", "bundle", "--quiet", interpreter, script, scripts, "-o", module)
	if code != exitFinding || !strings.Contains(stderr, "makes a module that a gateway would not serve") {
		t.Errorf("a case that fails: exit %d: %s", code, stderr)
	}
	if _, err := os.Stat(module); err == nil {
		t.Error("a module whose case fails was written")
	}

	write(t, sidecar, "cases:\n- {name: a, from: v1, to: v2, object: {spec: {replicas: 2}}, want: {spec: {size: 2}}}\n")
	code, stdout, stderr := crosswalk("", "bundle", "--quiet", "--arg", "-v", interpreter, script, scripts, "-o", module)
	if code != exitOK || !strings.HasPrefix(stdout, module+": ") {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = crosswalk(`{"apiVersion":"example.com/v1","kind":"Disk","spec":{"replicas":7}}`, "convert", "--quiet", "--to", "v2", "-o", "json", module)
	if code != exitOK || !strings.Contains(strings.Join(strings.Fields(stdout), ""), `"spec":{"size":7}`) {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}

	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{interpreter}, exitError, "crosswalk bundle: name the interpreter, and the scripts: crosswalk bundle INTERPRETER.wasm SCRIPT… (crosswalk bundle --help says more)\n"},
		{[]string{interpreter, script}, exitError, "crosswalk bundle: name the module with -o: its name has the kind, the group and the versions, such as CronTab.stable.example.com_v1_v2.wasm (crosswalk bundle --help says more)\n"},
		{[]string{script, script, "-o", module}, exitFinding, "crosswalk bundle: " + script + ": not a module that can be run: module, byte 0: does not begin like a WebAssembly module\n"},
		{[]string{interpreter, dir + "/missing", "-o", module}, exitError, "crosswalk bundle: lstat " + dir + "/missing: no such file or directory\n"},
		{[]string{interpreter, "..", "-o", module}, exitError, "crosswalk bundle: .. has no name in the module: name its files, or the directory by its name (crosswalk bundle --help says more)\n"},
	} {
		if code, _, stderr := crosswalk("", append([]string{"bundle"}, c.args...)...); code != c.code || stderr != c.want {
			t.Errorf("%v: exit %d:\n got %swant %s", c.args, code, stderr, c.want)
		}
	}
}

// TestBundleStopsReading: a directory with more than a module may have is not read to its end.
func TestBundleStopsReading(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		file := filepath.Join(dir, name)
		write(t, file, "")
		if err := os.Truncate(file, maxSource); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("missing", filepath.Join(dir, "f")); err != nil {
		t.Fatal(err)
	}
	if files, err := filesOf([]string{dir}); err == nil || !strings.Contains(err.Error(), "more than 10000 files or 64 MiB") || len(files) > 5 {
		t.Errorf("%d files, error %v", len(files), err)
	}
}
