package watch

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.wasm", "a")
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	put(t, dir, "sub/b.wasm", "b")
	must(t, os.Symlink("sub/b.wasm", filepath.Join(dir, "b.wasm")))
	for _, tc := range []struct {
		name    string
		change  func()
		differs bool
	}{
		{"nothing", func() {}, false},
		{"a file read", func() { _, _ = os.ReadFile(filepath.Join(dir, "a.wasm")) }, false},
		{"a temporary name", func() { put(t, dir, ".tmp", "") }, false},
		{"the same content written", func() { put(t, dir, "a.wasm", "a") }, true},
		{"the target of a link", func() { put(t, dir, "sub/b.wasm", "c") }, true},
		{"a file more", func() { put(t, dir, "c.wasm", "c") }, true},
		{"a file less", func() { must(t, os.Remove(filepath.Join(dir, "c.wasm"))) }, true},
		{"..data", func() { must(t, os.Symlink("sub", filepath.Join(dir, dataLink))) }, true},
		{"the directory", func() { must(t, os.Rename(dir, dir+"2")) }, true},
		{"the directory, again", func() { must(t, os.Rename(dir+"2", dir)) }, true},
		{"as it was", func() {}, false},
	} {
		before := fingerprintOf(dir)
		tc.change()
		if differs := fingerprintOf(dir) != before; differs != tc.differs {
			t.Errorf("%s: differs %v, want %v", tc.name, differs, tc.differs)
		}
	}
}
