package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	program := filepath.Join(t.TempDir(), "controller")
	build := exec.Command("go", "build", "-o", program, "-ldflags", "-X github.com/crosswalk-gateway/crosswalk/internal/buildinfo.version=v1.2.3", ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command(program, "--version")
	run.Env = append(os.Environ(), "POD_NAMESPACE=") // the version needs no namespace
	out, err := run.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "crosswalk controller v1.2.3, revision ") {
		t.Errorf("%v: %s", err, out)
	}
}
