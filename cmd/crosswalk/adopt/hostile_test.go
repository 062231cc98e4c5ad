package adopt

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// TestHostileRepository looks for converters in a repository with a Go file that is too large.
func TestHostileRepository(t *testing.T) {
	source := t.TempDir()
	large := append([]byte("package a // NewSpokeConverter\n"), bytes.Repeat([]byte("\n"), 16<<20)...)
	for name, text := range map[string][]byte{"large.go": large, "small.go": []byte("package a // NewSpokeConverter\n")} {
		if err := os.WriteFile(filepath.Join(source, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := operator.SourceFiles(source, "NewSpokeConverter")
	if err != nil || len(found) != 1 || filepath.Base(found[0].Name) != "small.go" {
		t.Errorf("%d Go files are read, %v", len(found), err)
	}
}
