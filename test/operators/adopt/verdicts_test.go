package adopt

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/test/operators/list"
)

// TestVerdictsOfHiddenInputs adopts an operator whose results depend on more than the object that a
// module gets: on the Go type of a number, on the object's resourceVersion, and on the time zone. The
// module must have the numbers of controller-runtime's webhook, and the verdict must name the rest.
func TestVerdictsOfHiddenInputs(t *testing.T) {
	if testing.Short() {
		t.Skip("building and comparing modules takes minutes (run without -short)")
	}
	list.WithoutZstd(t)
	dir := t.TempDir()
	program := list.Tool(t)
	source := filepath.Join(dir, "verdicts") // outside of this repository, which counts as the operator's otherwise
	if err := os.CopyFS(source, os.DirFS("testdata/verdicts")); err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]struct {
		verdict, reason string
		differs         []string
	}{
		"Decoded": {verdict: "not shown", reason: "depend on metadata.managedFields or metadata.resourceVersion (accept uncompared metadata), which a module does not see: they differ at spec.text"},
		"Local":   {verdict: "not equal", differs: []string{"spec.text"}},
	} {
		earlier := filepath.Join(source, kind, kind+".verdicts.example.com_v2_v1.wasm") // which only a module that is not worse replaces
		if err := os.MkdirAll(filepath.Dir(earlier), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{earlier, filepath.Join(source, kind, "adopt.lock")} {
			if err := os.WriteFile(name, []byte("# earlier\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		command := exec.Command(program, "adopt", "./v1", "./v2", "--kind", kind, "--dir", kind)
		command.Dir = source
		out, err := command.CombinedOutput()
		text, e := os.ReadFile(filepath.Join(source, kind, "report.json"))
		if err == nil || e != nil {
			t.Errorf("%s: adopt must fail with a report, got %v and %v: %s", kind, err, e, out)
			continue
		}
		module, err := os.ReadFile(earlier)
		if kept := string(module) == "# earlier\n"; err != nil || kept != (want.verdict == "not equal") {
			t.Errorf("%s, %s: the earlier module stays: %v, %v", kind, want.verdict, kept, err)
		}
		var got struct {
			Verdict string
			Reasons []string
			Pairs   []struct{ Differences []struct{ Path string } }
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		var differs []string
		for _, p := range got.Pairs {
			for _, d := range p.Differences {
				differs = append(differs, d.Path)
			}
		}
		slices.Sort(differs)
		if got.Verdict != want.verdict || !strings.Contains(strings.Join(got.Reasons, "\n"), want.reason) || !slices.Equal(slices.Compact(differs), want.differs) {
			t.Errorf("%s: the verdict is %q because of %q, with differences at %q, want %+v: %s", kind, got.Verdict, got.Reasons, differs, want, out)
		}
	}
}
