package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	v1 "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api/v1"
	v2 "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api/v2"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/adopttest"
	"github.com/crosswalk-gateway/crosswalk/test/operators/list"
)

// TestExternalJob compares a module that was written by hand with the types, as the test that
// crosswalk adopt writes does. Two of the three versions are enough: such a module takes seconds to
// load, once for each pair.
func TestExternalJob(t *testing.T) {
	if testing.Short() {
		t.Skip("building and loading a module takes a minute (run without -short)")
	}
	module := filepath.Join(t.TempDir(), "ExternalJob."+v2.GroupVersion.Group+"_v2_v1_v3.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", module, ".")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("CROSSWALK", list.Tool(t))
	adopttest.Run(t, adopttest.Kind{
		Name: "ExternalJob", Module: module,
		Hub: adopttest.Hub[v2.ExternalJob](v2.GroupVersion.String()),
		Spokes: []adopttest.Version{
			adopttest.Spoke(v1.GroupVersion.String(),
				func(spoke *v1.ExternalJob, hub *v2.ExternalJob) error { return spoke.ConvertTo(hub) },
				func(hub *v2.ExternalJob, spoke *v1.ExternalJob) error { return spoke.ConvertFrom(hub) }),
		},
	})
}
