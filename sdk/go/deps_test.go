package crosswalk

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImports holds the package light: any one of these makes each module larger by hundreds of
// kilobytes and slower to start.
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
