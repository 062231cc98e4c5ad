package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCompileCache tests that a process keeps compiled code below the user's cache directory, that
// the next process uses it, and that damaged code and a directory of others are not used.
func TestCompileCache(t *testing.T) {
	if _, err := os.Stat("/proc/self/exe"); err != nil {
		t.Skip("the cache needs Linux")
	}
	base := t.TempDir()
	file := moduleFile(t, "good_refuse", echo, "")
	convert := func() {
		t.Helper()
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, "test", "--quiet", "-o", "json", file)
		cmd.Env = append(os.Environ(), actAsCrosswalk+"=1", childrensCache+"="+base)
		if out, err := cmd.CombinedOutput(); !strings.Contains(string(out), `"passed"`) {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	seal := func() (path string, used time.Time) {
		t.Helper()
		seals, err := filepath.Glob(filepath.Join(base, "crosswalk", "*-*")) // an entry is a file
		if err != nil || len(seals) != 2 {                                   // test loads the module with two limits of a call
			t.Fatalf("%d entries, %v", len(seals), err)
		}
		info, err := os.Stat(seals[0])
		if err != nil {
			t.Fatal(err)
		}
		return seals[0], info.ModTime()
	}
	convert()
	path, _ := seal()
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	convert()
	if _, used := seal(); used.Before(past.Add(time.Minute)) {
		t.Error("the second process did not use the code of the first")
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, strings.Repeat("0", len(before)))
	convert()
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("damaged code was not compiled again: %v", err)
	}
	if err := os.Chmod(filepath.Join(base, "crosswalk"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	convert()
	if _, used := seal(); !used.Before(past.Add(time.Minute)) {
		t.Error("code was used from a directory that others can write")
	}
}
