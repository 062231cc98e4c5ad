package crosswalk

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestTinyGo compiles the package as TinyGo is given it, with the tag that it sets, by Go's own compiler: TinyGo itself is not on every machine
// (plugins/tinygo_test.go runs modules that it made, where it is).
func TestTinyGo(t *testing.T) {
	build := exec.Command("go", "build", "-tags", "tinygo", "-o", os.DevNull, ".")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	list := exec.Command("go", "list", "-tags", "tinygo", "-f", "{{.GoFiles}}", ".")
	list.Env = build.Env
	if out, err := list.CombinedOutput(); err != nil || strings.Contains(string(out), "warm_wasip1.go") || !strings.Contains(string(out), "abi_wasip1.go") {
		t.Errorf("%v: the files for TinyGo are %s", err, out)
	}
}

// TestImports holds the package light: any one of these makes each module larger by hundreds of kilobytes and slower to
// start.
func TestImports(t *testing.T) {
	for _, target := range []string{"GOOS=wasip1 GOARCH=wasm", ""} {
		list := exec.Command("go", "list", "-deps", ".")
		list.Env = append(os.Environ(), strings.Fields(target)...)
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		deps := strings.Fields(string(out))
		for _, heavy := range []string{"fmt", "reflect", "encoding/json", "encoding/binary", "os", "time", "unicode", "strings", "sort"} {
			if slices.Contains(deps, heavy) {
				t.Errorf("%s the package imports %s", target, heavy)
			}
		}
		if !slices.Contains(deps, "strconv") {
			t.Errorf("%s go list says nothing of strconv: %s", target, deps)
		}
	}
}
