package plugins_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/crosswalktest"
)

// TestTinyGo builds the converters in Go with TinyGo, where it is, and runs the vectors against what it makes of them.
func TestTinyGo(t *testing.T) {
	tinygo, err := exec.LookPath("tinygo")
	if err != nil {
		t.Skip("no tinygo (https://tinygo.org/getting-started/install): what it makes of the converters in Go was not run")
	}
	for _, c := range converters(t) {
		if c.language != "go" {
			continue
		}
		t.Run(c.plugin, func(t *testing.T) {
			module := filepath.Join(t.TempDir(), filepath.Base(c.file))
			build := exec.Command(tinygo, "build", "-target=wasip1", "-buildmode=c-shared", "-opt=2", "-no-debug", "-o", module, ".")
			build.Dir = filepath.Join(c.plugin, c.language)
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			vectors, err := crosswalktest.Read(filepath.Join(c.plugin, "testdata", "vectors.json"))
			if err != nil {
				t.Fatal(err)
			}
			checkVectors(t, module, vectors)
		})
	}
}
