package adopt

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdopt adopts operators as their authors would: one command, which compares the module with
// the operator's own code. With OPERATORS=all it adopts each of them; otherwise the first, which
// takes a minute.
func TestAdopt(t *testing.T) {
	if testing.Short() {
		t.Skip("building and comparing a module takes a minute (run without -short)")
	}
	program := filepath.Join(t.TempDir(), "crosswalk")
	build := exec.Command("go", "build", "-o", program, "./cmd/crosswalk")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i, o := range []struct {
		kind, path string
		versions   []string
		pairs      int
	}{
		{"ExternalJob", "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api", []string{"v1", "v2", "v3"}, 6},
		{"AlertmanagerConfig", "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring", []string{"v1alpha1", "v1beta1"}, 2},
		{"IPAddressClaim", "sigs.k8s.io/cluster-api/api/ipam", []string{"v1alpha1", "v1beta1", "v1beta2"}, 6},
	} {
		t.Run(o.kind, func(t *testing.T) {
			if i > 0 && os.Getenv("OPERATORS") != "all" {
				t.Skip("takes minutes: set OPERATORS=all")
			}
			args := []string{"adopt", "--kind", o.kind, "--dir", t.TempDir()}
			for _, v := range o.versions {
				args = append(args, o.path+"/"+v)
			}
			out, err := exec.Command(program, args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if equal := strings.Count(string(out), ": equal for "); equal != o.pairs || !strings.Contains(string(out), "the .zst fits a ConfigMap") {
				t.Errorf("%d of %d pairs of versions are equal, or the module is too large: %s", equal, o.pairs, out)
			}
			if i == 0 && !strings.Contains(string(out), "\nread of the metadata: labels, annotations\n") {
				t.Errorf("the conversions read nothing else of the metadata, but the report says otherwise: %s", out)
			}
		})
	}
}
