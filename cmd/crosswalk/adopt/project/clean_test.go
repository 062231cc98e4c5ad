package project

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestCleanKeepsTheModuleT18: modules of an earlier run go, and the one that this run built stays.
func TestCleanKeepsTheModuleT18(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"K.g.io_v1_v2.wasm", "K.g.io_v1_v2.wasm.gz", "K.g.io_v1_v3.wasm", "main.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Clean(dir, "K.g.io_v1_v2.wasm"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"K.g.io_v1_v2.wasm", "main.go"}; !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
}
