package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// TestFingerprintHasTheChangeTime: content of the same size, with the modification time of the content
// before, as some tools copy files, is another content.
func TestFingerprintHasTheChangeTime(t *testing.T) {
	dir, old := t.TempDir(), time.Now().Add(-time.Hour)
	path := filepath.Join(dir, "a.wasm")
	write := func(content string) time.Time {
		must(t, os.WriteFile(path, []byte(content), 0o644))
		must(t, os.Chtimes(path, old, old))
		info, err := os.Stat(path)
		must(t, err)
		return changeTime(info)
	}
	first, before := write("a"), fingerprintOf(dir)
	eventually.True(t, "another change time", func() bool { return !write("b").Equal(first) })
	if fingerprintOf(dir) == before {
		t.Error("the fingerprint is the same")
	}
}
