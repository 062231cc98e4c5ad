package adopttest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOtherModules compares modules beside the project's own: one with a mistake, and one that does
// not load. Neither fails the project's test, and each has a report.
func TestOtherModules(t *testing.T) {
	dir := t.TempDir()
	wrong, broken := filepath.Join(dir, "drops a field", "Demo.wasm"), filepath.Join(dir, "drops nothing, and does not load", "Demo.wasm")
	for _, name := range []string{wrong, broken} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	own := filepath.Join(dir, "own.json")
	command := exec.Command(os.Args[0], "-test.run=^TestProject$", "-test.short")
	command.Dir = dir
	command.Env = append(os.Environ(), mistakeVariable+"=none", "CROSSWALK="+os.Args[0], "CROSSWALK_ADOPT_REPORT="+own,
		modulesVariable+"="+filepath.Join(dir, "Demo.example.com_current_old.wasm")+string(filepath.ListSeparator)+wrong+string(filepath.ListSeparator)+broken)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("the project's own module is equal: %v: %s", err, out)
	}
	for name, check := range map[string]func(p Pair) bool{
		own:                    func(p Pair) bool { return p.Differing == 0 && p.Compared > 0 && p.Native == 0 },
		wrong + ".report.json": func(p Pair) bool { return p.Differing > 1 && p.Differences[0].Path == "spec.name" },
		broken + ".report.json": func(p Pair) bool {
			return p.Differing == 1 && strings.Contains(p.Differences[0].Module, "does not load")
		},
	} {
		var report Report
		text, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, &report)
		}
		if err != nil || len(report.Pairs) != 2 || !check(report.Pairs[1]) {
			t.Errorf("%s, %v: %+v", name, err, report)
		}
	}
}
