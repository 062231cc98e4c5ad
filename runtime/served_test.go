package runtime

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMemoryIsBounded: a start waits for at most as many modules as a directory may have files, also
// if the memory has more.
func TestMemoryIsBounded(t *testing.T) {
	dir := t.TempDir()
	m := newServedFile(filepath.Join(dir, "served"), []Owner{{Dir: dir}})
	lines := []string{m.head}
	for i := range scanFiles + 10 {
		lines = append(lines, fmt.Sprintf("K%d.g_v1_v2", i))
	}
	if err := os.WriteFile(m.path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if served, err := m.recall(); err != nil || len(served) != scanFiles {
		t.Errorf("%d modules, want %d: %v", len(served), scanFiles, err)
	}
}
