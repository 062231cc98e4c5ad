// Package adopt tests crosswalk adopt with operators whose packages the Go proxy has.
package adopt

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdopt adopts an operator as its author would: one command, which compares the module with the operator's own code.
func TestAdopt(t *testing.T) {
	if testing.Short() {
		t.Skip("building and comparing a module takes a minute (run without -short)")
	}
	program := filepath.Join(t.TempDir(), "crosswalk")
	build := exec.Command("go", "build", "-o", program, "./cmd/crosswalk")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const jobs = "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api/"
	dir := t.TempDir()
	adopt := exec.Command(program, "adopt", jobs+"v1", jobs+"v2", jobs+"v3", "--out", dir)
	out, err := adopt.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if equal := strings.Count(string(out), ": equal for "); equal != 6 || !strings.Contains(string(out), "the .zst fits a ConfigMap") {
		t.Errorf("%d of 6 pairs of versions are equal, or the module is too large: %s", equal, out)
	}
}
