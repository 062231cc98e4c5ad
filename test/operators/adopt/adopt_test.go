package adopt

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/test/operators/list"
)

// TestAdopt adopts operators as a person without a clone of them would: one command, which compares the
// module with the operator's own code. It adopts one operator of each form of conversion, which takes
// minutes; with OPERATORS=all, it adopts each of the list, which takes hours.
func TestAdopt(t *testing.T) {
	if testing.Short() {
		t.Skip("building and comparing a module takes a minute (run without -short)")
	}
	list.WithoutZstd(t)
	program := list.Tool(t)
	setUps, err := filepath.Abs(filepath.Join("..", "list", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list.All() {
		t.Run(o.Name+" "+o.Kind, func(t *testing.T) {
			if !o.Test && os.Getenv("OPERATORS") != "all" {
				t.Skip("takes minutes: set OPERATORS=all")
			}
			dir := t.TempDir()
			project := filepath.Join(dir, "converter")
			if err := os.Mkdir(project, 0o755); err != nil {
				t.Fatal(err)
			}
			if o.Accept != "" {
				text, err := os.ReadFile(filepath.Join(setUps, o.Accept))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(project, "adopt.lock"), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			args := append([]string{"adopt", "--kind", o.Kind, "--dir", "converter"}, o.Arguments()...)
			if o.SetUp != "" {
				args = append(args, "--set-up", filepath.Join(setUps, o.SetUp))
			}
			command := exec.Command(program, args...)
			command.Dir = dir
			out, err := command.CombinedOutput()
			text, readErr := os.ReadFile(filepath.Join(project, "report.json"))
			if readErr != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var report struct {
				Verdict string
				Pairs   []struct{ Compared int }
			}
			if err := json.Unmarshal(text, &report); err != nil {
				t.Fatal(err)
			}
			if err != nil || report.Verdict != "equal" {
				t.Errorf("the verdict is %q, want equal (%v): %s", report.Verdict, err, out)
			}
			for _, p := range report.Pairs {
				if p.Compared < 50 {
					t.Errorf("a pair of versions has %d compared objects, want 50 or more: %s", p.Compared, text)
				}
			}
			if len(report.Pairs) < 2 {
				t.Errorf("%d pairs of versions were compared: %s", len(report.Pairs), text)
			}
		})
	}
}
