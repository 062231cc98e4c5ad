package plugins_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/crosswalktest"
)

// built is where the modules are; the tests only read it.
var built struct {
	dir     string
	output  string // the output of build.sh
	scratch string // a directory for files that tests build, removed after the tests
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run updates bin/plugins with build.sh, which is quick after make plugins, and runs the tests.
func run(m *testing.M) int {
	dir, err := filepath.Abs("testdata/bin/plugins") // by a link, so that go test's cache sees changes
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.MkdirAll("../bin", 0o755); err != nil { // the target of the link
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	build := exec.Command("./build.sh")
	build.Env = append(os.Environ(), "OUT="+dir)
	output, err := build.CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "build.sh: %v\n%s", err, output)
		return 1
	}
	built.dir, built.output = dir, string(output)
	if built.scratch, err = os.MkdirTemp("", "plugins-test"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(built.scratch)
	return m.Run()
}

// converter is one plugin in one language.
type converter struct {
	plugin, language string
	file             string // of the module
}

// converters finds them all: a plugin is a directory with a file MODULE, and its languages are the
// directories in it.
func converters(t testing.TB) (found []converter) {
	files, err := filepath.Glob("*/MODULE")
	if err != nil || len(files) == 0 {
		t.Fatalf("no plugins: %v", err)
	}
	for _, file := range files {
		name, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() && e.Name() != "testdata" {
				module := filepath.Join(built.dir, e.Name(), strings.TrimSpace(string(name))+".wasm")
				found = append(found, converter{filepath.Dir(file), e.Name(), module})
			}
		}
	}
	return found
}

// need skips the test if build.sh had no toolchain for the language.
func need(t *testing.T, language string) {
	if strings.Contains(built.output, "skipped "+language+":") {
		t.Skip(built.output)
	}
}

// forEach runs test for every converter that could be built here.
func forEach(t *testing.T, test func(t *testing.T, c converter, vectors []crosswalktest.Vector)) {
	for _, c := range converters(t) {
		t.Run(c.plugin+"/"+c.language, func(t *testing.T) {
			need(t, c.language)
			test(t, c, vectorsOf(t, c.plugin))
		})
	}
}

// goldenFile is the file to which build.sh writes the golden cases and vectors of a plugin.
func goldenFile(plugin string) string {
	return filepath.Join(filepath.Dir(built.dir), "vectors", plugin+".json")
}

// vectorsOf returns the golden cases and vectors of a plugin.
func vectorsOf(t *testing.T, plugin string) []crosswalktest.Vector {
	vectors, err := crosswalktest.Read(goldenFile(plugin))
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

// objects returns the objects of a vector.
func objects(v crosswalktest.Vector) (out []string) {
	for _, o := range v.Objects {
		out = append(out, string(o))
	}
	return out
}
