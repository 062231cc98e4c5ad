package plugins_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/crosswalktest"
)

// TestSidecars checks every converter with golden cases by the authors' tool, as a gateway would:
// the converter must pass all cases and be served, lose nothing of generated objects, and pass
// crosswalk test.
func TestSidecars(t *testing.T) {
	tool := filepath.Join("..", "bin", "crosswalk")
	build := exec.Command("go", "build", "-C", "../cmd/crosswalk", "-o", "../../bin/crosswalk")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build does: only a changed tool is linked again
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	forEach(t, func(t *testing.T, c converter, _ []crosswalktest.Vector) {
		t.Parallel()
		name := strings.TrimSuffix(filepath.Base(c.file), ".wasm") + ".yaml"
		want, err := os.ReadFile(filepath.Join(c.plugin, c.language, name))
		own := err == nil // the language's
		if !own {
			want, err = os.ReadFile(filepath.Join(c.plugin, name))
		}
		if os.IsNotExist(err) {
			if others, _ := filepath.Glob(filepath.Join(c.plugin, "*_*.yaml")); len(others) > 0 {
				t.Fatalf("the sidecar must be called %s, as MODULE has it, not %s", name, filepath.Base(others[0]))
			}
			t.Skip("it has no sidecar")
		}
		if got, err := os.ReadFile(filepath.Join(filepath.Dir(c.file), name)); err != nil || string(got) != string(want) {
			t.Fatalf("build.sh did not put %s beside the module: %v", name, err)
		}
		crd := filepath.Join(c.plugin, "crd.yaml")
		if c.plugin == "widget-v1alpha1-v1beta1" {
			crd = "widget-v1beta1-v1/crd.yaml" // the two modules of the chain share the definition
		}
		if own || !testing.Short() { // test, below, tries the cases, the schemas and the declared fields, too
			out, err := exec.Command(tool, "check", "--quiet", "--crd", crd, "--call-timeout", "1m", c.file).CombinedOutput() // the machine may be busy
			if err != nil || !strings.Contains(string(out), " golden cases passed") || strings.Contains(string(out), "DOUBTFUL") {
				t.Errorf("check: %v\n%s", err, out)
			}
		}
		if own { // a program: ten thousand objects take it seconds, and on a busy machine more than a call may last
			return
		}
		if out, err := exec.Command(tool, "test", "--quiet", "--crd", crd, "--for", "0s", "--call-timeout", "1m", c.file).CombinedOutput(); err != nil {
			t.Errorf("test: %v\n%s", err, out)
		}
	})
}
