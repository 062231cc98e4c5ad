package lifecycle

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/engines"
)

// TestGitOpsEngines retires v1 while the libraries of Flux and Argo CD compare and apply manifests,
// and two more managers write the same objects. No request of an engine fails, none of them finds a
// difference that nobody made, and each still owns its fields afterwards.
func TestGitOpsEngines(t *testing.T) {
	l := begin(t, "garbage-collector-controller")
	all := startEngines(t, l, engines.Few)
	l.rounds(t, all, "v1 alone, with other managers", "v1")
	l.attach(t)
	l.rounds(t, all, "attached", "v1")
	l.serve(t)
	l.rounds(t, all, "v2 is served", "v1")
	l.rounds(t, all, "others write at v2", "v2")

	// From here on the engines work all the time, too.
	stop := l.always(t, all)
	output := l.finds(t, "retire", l.name, "v1", "--yes", "--idle", "1h")
	if !strings.Contains(output, "kustomize-controller (Apply) at v1: ") || !strings.Contains(output, "argocd-controller (Apply) at v1: ") {
		t.Error("the plan does not name the engines")
	}
	stop()
	l.rounds(t, all, "v2 is stored", "v1")
	l.moveManifests(t, all)
	l.rounds(t, all, "the manifests are at v2", "v2")
	stop = l.always(t, all)
	output = l.crosswalk(t, "retire", l.name, "v1", "--yes", "--idle", "0s", "-f", filepath.Dir(all[0].Dir))
	if !strings.Contains(output, "8  DONE     remove v1") {
		t.Error("v1 was not removed")
	}
	stop()
	l.rounds(t, all, "v1 is removed", "v2")
	l.ownedByEngines(t, all)
}

// ownedByEngines asserts that each engine applies a change of a manifest and no other, and owns what
// it applied at v1.
func (l *life) ownedByEngines(t *testing.T, all []*engines.Engine) {
	t.Helper()
	for _, e := range all {
		// The manifest changes: the engine sees and applies this change, and no other.
		must(t, e.Edit(3, "image: three", "image: four"))
		r := e.Round()
		if len(r.Errors) > 0 || len(r.Drift) != 1 || !strings.Contains(r.Drift[0], e.Object(3)) {
			t.Errorf("%s, after its manifest changed: %+v", e.Name, r)
		}
		settled(t, e, "the change is applied")
		// It drops a field that it applied at v1 and at v2: the engine owns it, so it leaves the object.
		must(t, e.Edit(4, "    tier: gold\n", ""))
		if r := e.Round(); len(r.Errors) > 0 {
			t.Errorf("%s, after a label left its manifest: %+v", e.Name, r)
		}
		for i, want := range map[int]string{3: "four", 4: "three"} {
			o, err := l.at("v2").Get(deadline(t), e.Object(i), metav1.GetOptions{})
			must(t, err)
			image, _, _ := unstructured.NestedString(o.Object, "spec", "image")
			hour, _, _ := unstructured.NestedString(o.Object, "spec", "hour")
			replicas, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
			_, tier := o.GetLabels()["tier"]
			if image != want || hour != fmt.Sprint(i) || replicas == 0 || tier != (i == 3) || o.GetLabels()["team"] == "" {
				t.Errorf("%s is\n%+v", e.Object(i), o.Object)
			}
		}
		settled(t, e, "the label is gone")
		t.Logf("%s: %d rounds", e.Name, e.Rounds)
	}
}

// startEngines builds and starts the engines, and has each create its objects at v1.
func startEngines(t *testing.T, l *life, each int) (all []*engines.Engine) {
	t.Helper()
	root, err := artifacts.Root()
	must(t, err)
	dir := t.TempDir()
	program := filepath.Join(dir, "gitops")
	must(t, engines.Build(t.Context(), root, program))
	for _, name := range engines.Names {
		e, err := engines.Start(t.Context(), program, name, l.kubeconfig, dir, each)
		must(t, err)
		t.Cleanup(func() {
			if log := e.Stop(); t.Failed() {
				t.Logf("%s: %s", name, log)
			}
		})
		if r := e.Round(); len(r.Errors) > 0 || r.Objects != each {
			t.Fatalf("%s creates its objects: %+v", name, r)
		}
		settled(t, e, "v1 alone")
		all = append(all, e)
	}
	return all
}

// rounds lets each engine work between two steps, after the other managers wrote at a version, and
// asserts that it finds what it should.
func (l *life) rounds(t *testing.T, all []*engines.Engine, when, version string) {
	t.Helper()
	for _, e := range all {
		e.Lock()
		err := l.writeOthers(t, e, version)
		e.Unlock()
		must(t, err)
		quiet(t, e, when)
	}
}

// moveManifests converts the manifests of all engines to v2.
func (l *life) moveManifests(t *testing.T, all []*engines.Engine) {
	t.Helper()
	for _, e := range all {
		output, err := exec.CommandContext(deadline(t), l.binary, "convert", "--to", "v2", "-f", e.Dir, "-R", "--write", l.module).CombinedOutput()
		must(t, err)
		if !strings.Contains(string(output), fmt.Sprintf("%[1]d objects in %[1]d files converted to v2", e.Each)) {
			t.Errorf("the manifests are not converted: %s", output)
		}
	}
}

// settled waits until an engine's own writes have reached the cache with which Argo CD compares.
func settled(t *testing.T, e *engines.Engine, when string) {
	t.Helper()
	eventually.Succeeds(t, e.Name+", "+when, func() error {
		r := e.Round()
		if len(r.Errors) > 0 {
			t.Errorf("%s, %s: %q", e.Name, when, r.Errors)
		}
		return errorf(r.Quiet(), "%+v", r)
	})
	quiet(t, e, when)
}

// quiet runs two rounds that must find nothing.
func quiet(t *testing.T, e *engines.Engine, when string) {
	t.Helper()
	for range 2 {
		if r := e.Round(); !r.Quiet() {
			t.Errorf("%s, %s: %+v", e.Name, when, r)
		}
	}
}

// writeOthers writes the engine's objects as two other managers: one updates a field that the
// manifests do not name, the other applies a label of its own. The caller holds the engine's lock: a
// comparison reads an object twice.
func (l *life) writeOthers(t *testing.T, e *engines.Engine, version string) error {
	for i := range e.Each {
		patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, 1+e.Rounds%7)
		if _, err := l.at(version).Patch(deadline(t), e.Object(i), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "scaler"}); err != nil {
			return err
		}
		o := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "stable.example.com/" + version, "kind": "CronTab", "metadata": map[string]any{"name": e.Object(i), "labels": map[string]any{"team": fmt.Sprint("round-", e.Rounds)}},
		}}
		if _, err := l.at(version).Apply(deadline(t), e.Object(i), o, metav1.ApplyOptions{FieldManager: "team"}); err != nil {
			return err
		}
	}
	return nil
}

// always lets engines work until stop is called. The other managers write at v2 meanwhile.
func (l *life) always(t *testing.T, all []*engines.Engine) (stop func()) {
	return engines.Always(all, func(e *engines.Engine) error { return l.writeOthers(t, e, "v2") }, func(e *engines.Engine, r engines.Round, err error) {
		t.Errorf("%s, while v1 is retired: %+v, the other managers: %v", e.Name, r, err)
	})
}
