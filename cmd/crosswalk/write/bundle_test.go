package write

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBundleStopsReading: a directory with more than a module may have is not read to its end.
func TestBundleStopsReading(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
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
