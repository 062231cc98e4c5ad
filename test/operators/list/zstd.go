package list

import (
	"os"
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
