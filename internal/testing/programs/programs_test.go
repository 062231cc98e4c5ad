package programs

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestBuildUpdates: a missing program and another one are replaced, and an up-to-date one stays the
// same file, also if two tests build it at once.
func TestBuildUpdates(t *testing.T) {
	root, program := t.TempDir(), ""
	packages["small"] = [2]string{".", "."}
	defer delete(packages, "small")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := func() os.FileInfo {
		t.Helper()
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				file, err := Build(t.Context(), root, "small")
				if err != nil {
					t.Error(err)
				}
				if file != filepath.Join(root, "bin", "small") {
					t.Errorf("the program is %s", file)
				}
			})
		}
		both.Wait()
		program = filepath.Join(root, "bin", "small")
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	write("go.mod", "module small\n")
	write("main.go", "package main\n\nfunc main() {}\n")
	first := build()
	if again := build(); !os.SameFile(first, again) {
		t.Error("a program that is up to date was replaced")
	}
	write("main.go", "package main\n\nfunc main() { println() }\n")
	if changed := build(); os.SameFile(first, changed) {
		t.Error("a program of other sources was kept")
	}
	left, err := os.ReadDir(filepath.Dir(program))
	if err != nil || len(left) != 1 {
		t.Errorf("bin has %v (%v)", left, err)
	}
}
