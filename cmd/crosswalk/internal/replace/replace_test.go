package replace

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFile: a reader of the older file keeps its content, and a file that cannot be written stays as it was.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.json")
	for _, content := range []string{"old", "new"} {
		before, openErr := os.Open(name)
		if err := File(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if openErr == nil {
			text := make([]byte, 3)
			if n, err := before.Read(text); err != nil || string(text[:n]) != "old" {
				t.Errorf("who opened the old file reads %q, %v", text[:n], err)
			}
			before.Close()
		}
		text, err := os.ReadFile(name)
		if err != nil || string(text) != content {
			t.Errorf("%q, %v; want %q", text, err, content)
		}
	}
	taken := filepath.Join(dir, "directory")
	if err := os.MkdirAll(filepath.Join(taken, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := File(taken, []byte("new")); err == nil {
		t.Error("a file replaced a directory")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v are left, %v", left, err)
	}
}
