package list

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// WithoutZstd gives crosswalk adopt a zstd that fails, so that it packs with the library, as on a machine
// without the program: the program takes longer than everything else that adopt --no-run does.
func WithoutZstd(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "zstd"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// Tool returns crosswalk as make build makes it. It is a link to the one in bin, which go build leaves
// alone if it is up to date and replaces otherwise.
func Tool(t *testing.T) string {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	program := filepath.Join(t.TempDir(), "crosswalk")
	_ = os.Link(filepath.Join(root, "bin", "crosswalk"), program) // without it, go build links the tool
	build := exec.Command("go", "build", "-C", filepath.Join(root, "cmd", "crosswalk"), "-o", program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}
