package bounded

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	for _, c := range []struct {
		size int
		want string
	}{{0, ""}, {1 << 20, ""}, {1<<20 + 1, file + " is larger than 1 MiB"}} {
		content := bytes.Repeat([]byte("x"), c.size)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(file, 1<<20)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if said != c.want || err == nil && !bytes.Equal(got, content) {
			t.Errorf("%d bytes: %d bytes, %v, want %q", c.size, len(got), err, c.want)
		}
	}
	if _, err := ReadFile(dir, 1<<20); err == nil || err.Error() != dir+" is a directory: name a file in it" {
		t.Error(err)
	}
	if _, err := ReadFile(filepath.Join(dir, "none"), 1<<20); !os.IsNotExist(err) {
		t.Error(err)
	}
}
