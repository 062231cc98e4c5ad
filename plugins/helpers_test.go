package plugins_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/crosswalktest"
)

// TestHelpers runs the shared vectors of the helpers (split and join, lists and maps, enums,
// defaults) as WebAssembly, for all languages with a directory testdata/helpers/<language>.
func TestHelpers(t *testing.T) {
	dir := t.TempDir()
	build := exec.Command("./build.sh", "testdata/helpers")
	build.Env = append(os.Environ(), "OUT="+dir)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	vectors, err := crosswalktest.Read("testdata/helpers/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	modules, err := filepath.Glob(filepath.Join(dir, "*", "*.wasm"))
	if err != nil || len(modules) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	for _, module := range modules {
		t.Run(filepath.Base(filepath.Dir(module)), func(t *testing.T) { checkVectors(t, module, vectors) })
	}
}

// checkVectors runs vectors against a module.
func checkVectors(t *testing.T, module string, vectors []crosswalktest.Vector) {
	g := newGuest(t, module)
	for _, v := range vectors {
		converted, refusals := split(g.answers(t, v.DesiredAPIVersion, objects(v)...))
		if err := v.Check(converted, refusals); err != nil {
			t.Errorf("%s: %v", v.Name, err)
		}
	}
}
