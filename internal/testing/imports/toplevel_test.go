package imports

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestTopLevel asserts that the repository's first level has these names and no others, apart from
// those that begin with a dot.
func TestTopLevel(t *testing.T) {
	want := strings.Fields("Makefile README.md cmd deploy docs go.mod go.sum host internal plugins runtime sdk test")
	command := exec.Command("git", "ls-tree", "--name-only", "--full-tree", "HEAD")
	out, err := command.Output()
	if err != nil {
		t.Skipf("no git checkout: %v", err)
	}
	for name := range bytes.Lines(out) {
		if name := strings.TrimSpace(string(name)); !strings.HasPrefix(name, ".") && !slices.Contains(want, name) {
			t.Errorf("%s is new on the first level: put it into one of %s", name, strings.Join(want, ", "))
		}
	}
}
