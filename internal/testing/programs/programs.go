// Package programs builds the repository's programs for tests, into bin and as make build does. A
// build after that of make only compares; with other flags, Go would compile all libraries again.
package programs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// packages are the programs, with the module and the package of each.
var packages = map[string][2]string{
	"gateway":    {".", "./cmd/gateway"},
	"crosswalk":  {"cmd/crosswalk", "."},
	"controller": {"cmd/crosswalk", "./controller"},
}

// Build updates a program in bin of a checkout of the repository and returns its path. The update is
// atomic, because other tests may run the program or build it.
func Build(ctx context.Context, root, name string) (string, error) {
	bin, err := filepath.Abs(filepath.Join(root, "bin"))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(bin, ".build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	program, updated := filepath.Join(bin, name), filepath.Join(scratch, name)
	// go build leaves a file alone that is up to date, and replaces others. Renaming a link to the
	// same file changes nothing.
	if err := os.Link(program, updated); err != nil && !os.IsNotExist(err) {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-C", filepath.Join(root, packages[name][0]), "-o", updated, packages[name][1])
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	return program, os.Rename(updated, program)
}
