package lifecycle

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
)

// manifestsEach is the number of manifests of each engine.
const manifestsEach = 12

// TestGitOpsEngines retires v1 while the libraries of Flux and Argo CD compare and apply manifests,
// and two more managers write the same objects. No request of an engine fails, none of them finds a
// difference that nobody made, and each still owns its fields afterwards.
func TestGitOpsEngines(t *testing.T) {
	l := begin(t, "garbage-collector-controller", "storage-version-migrator-controller")
	program := buildEngines(t)
	var all []*gitOps
	for _, name := range []string{"flux", "argocd-server-side", "argocd-client-side"} {
		all = append(all, startEngine(t, l, program, name))
	}
	// rounds lets each engine work between two steps, and asserts that it finds what it should.
	rounds := func(when string, version string) {
		t.Helper()
		for _, e := range all {
			e.write(t, version)
			e.quiet(t, when)
		}
	}
	for _, e := range all {
		if r := e.round(); len(r.Errors) > 0 || r.Objects != manifestsEach {
			t.Fatalf("%s creates its objects: %+v", e.name, r)
		}
		e.quiet(t, "v1 alone")
	}
	rounds("v1 alone, with other managers", "v1")
	l.attach(t)
	rounds("attached", "v1")
	l.serve(t)
	rounds("v2 is served", "v1")
	rounds("others write at v2", "v2")

	// From here on the engines work all the time, too.
	stop := always(t, all)
	output := l.finds(t, "retire", l.name, "v1", "--yes", "--idle", "1h")
	if !strings.Contains(output, "kustomize-controller (Apply) at v1: ") || !strings.Contains(output, "argocd-controller (Apply) at v1: ") {
		t.Error("the plan does not name the engines")
	}
	stop()
	rounds("v2 is stored", "v1")

	for _, e := range all {
		output, err := exec.CommandContext(deadline(t), l.binary, "convert", "--to", "v2", "-f", e.dir, "-R", "--write", l.module).CombinedOutput()
		must(t, err)
		if !strings.Contains(string(output), fmt.Sprintf("%d objects in %d files converted to v2", manifestsEach, manifestsEach)) {
			t.Errorf("the manifests are not converted: %s", output)
		}
	}
	rounds("the manifests are at v2", "v2")
	stop = always(t, all)
	output = l.crosswalk(t, "retire", l.name, "v1", "--yes", "--idle", "0s", "-f", filepath.Dir(all[0].dir))
	if !strings.Contains(output, "8  DONE     remove v1") {
		t.Error("v1 was not removed")
	}
	stop()
	rounds("v1 is removed", "v2")

	for _, e := range all {
		// The manifest changes: the engine sees and applies this change, and no other.
		e.edit(t, 3, func(text string) string { return strings.Replace(text, "image: three", "image: four", 1) })
		r := e.round()
		if len(r.Errors) > 0 || len(r.Drift) != 1 || !strings.Contains(r.Drift[0], e.object(3)) {
			t.Errorf("%s, after its manifest changed: %+v", e.name, r)
		}
		e.quiet(t, "the change is applied")
		// It drops a field that it applied at v1 and at v2: the engine owns it, so it leaves the object.
		e.edit(t, 4, func(text string) string { return strings.Replace(text, "    tier: gold\n", "", 1) })
		if r := e.round(); len(r.Errors) > 0 {
			t.Errorf("%s, after a label left its manifest: %+v", e.name, r)
		}
		for i, want := range map[int]string{3: "four", 4: "three"} {
			o, err := l.at("v2").Get(deadline(t), e.object(i), metav1.GetOptions{})
			must(t, err)
			image, _, _ := unstructured.NestedString(o.Object, "spec", "image")
			hour, _, _ := unstructured.NestedString(o.Object, "spec", "hour")
			replicas, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
			_, tier := o.GetLabels()["tier"]
			if image != want || hour != fmt.Sprint(i) || replicas == 0 || tier != (i == 3) || o.GetLabels()["team"] == "" {
				t.Errorf("%s is\n%+v", e.object(i), o.Object)
			}
		}
		e.quiet(t, "the label is gone")
		t.Logf("%s: %d rounds", e.name, e.rounds)
	}
}

// engineGo is the version of Go that the engines' modules require.
const engineGo = "go1.27.3"

// buildEngines builds test/gitops. Its module has the dependencies of the engines.
func buildEngines(t *testing.T) string {
	t.Helper()
	root, err := artifacts.Root()
	must(t, err)
	binary := filepath.Join(t.TempDir(), "gitops")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	cmd.Dir, cmd.Env = filepath.Join(root, "test", "gitops"), append(os.Environ(), "CGO_ENABLED=0", "GOTOOLCHAIN="+engineGo)
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building test/gitops: %v\n%s", err, output)
	}
	return binary
}

// gitOps is an engine that runs, with manifests of its own.
type gitOps struct {
	name string
	dir  string
	life *life

	mu     sync.Mutex // held by a round
	in     io.Writer
	out    *json.Decoder
	rounds int
}

// gitOpsRound is a line of the program's output.
type gitOpsRound struct {
	Objects                int
	Drift, Changed, Errors []string
}

func startEngine(t *testing.T, l *life, program, name string) *gitOps {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	must(t, os.Mkdir(dir, 0o755))
	e := &gitOps{name: name, dir: dir, life: l}
	for i := range manifestsEach {
		text := fmt.Sprintf(`# The schedule of %[1]s.
apiVersion: stable.example.com/v1
kind: CronTab
metadata:
  name: %[1]s
  namespace: default
  labels:
    tier: gold
    app: %[2]s
spec:
  cronSpec: "0 %[3]d * * *"
  image: three
`, e.object(i), name, i)
		must(t, os.WriteFile(e.file(i), []byte(text), 0o644))
	}
	cmd := exec.CommandContext(t.Context(), program, "--engine", name, "--kubeconfig", l.kubeconfig, "--dir", dir)
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	var log strings.Builder
	cmd.Stderr = &log
	must(t, cmd.Start())
	e.in, e.out = in, json.NewDecoder(bufio.NewReader(out))
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s: %s", name, log.String()[max(0, log.Len()-4096):])
		}
	})
	return e
}

func (e *gitOps) object(i int) string { return fmt.Sprintf("%s-%d", e.name, i) }

func (e *gitOps) file(i int) string { return filepath.Join(e.dir, e.object(i)+".yaml") }

func (e *gitOps) edit(t *testing.T, i int, change func(string) string) {
	t.Helper()
	before, err := os.ReadFile(e.file(i))
	must(t, err)
	after := change(string(before))
	if after == string(before) {
		t.Fatalf("the manifest has nothing to change:\n%s", before)
	}
	must(t, os.WriteFile(e.file(i), []byte(after), 0o644))
}

// round runs one round, and returns its result.
func (e *gitOps) round() (r gitOpsRound) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.locked()
}

func (e *gitOps) locked() (r gitOpsRound) {
	e.rounds++
	_, err := fmt.Fprintln(e.in)
	if err == nil {
		err = e.out.Decode(&r)
	}
	if err != nil {
		r.Errors = append(r.Errors, "the engine ended: "+err.Error())
	}
	return r
}

// quiet runs two rounds that must find nothing.
func (e *gitOps) quiet(t *testing.T, when string) {
	t.Helper()
	for range 2 {
		if r := e.round(); r.Objects != manifestsEach || len(r.Drift)+len(r.Changed)+len(r.Errors) > 0 {
			t.Errorf("%s, %s: %+v", e.name, when, r)
		}
	}
}

// write writes the engine's objects as two other managers: one updates a field that the manifests
// do not name, the other applies a label of its own.
func (e *gitOps) write(t *testing.T, version string) {
	t.Helper()
	e.mu.Lock() // a comparison reads an object twice
	defer e.mu.Unlock()
	must(t, e.writeOthers(t, version))
}

func (e *gitOps) writeOthers(t *testing.T, version string) error {
	for i := range manifestsEach {
		patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, 1+e.rounds%7)
		if _, err := e.life.at(version).Patch(deadline(t), e.object(i), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "scaler"}); err != nil {
			return err
		}
		o := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "stable.example.com/" + version, "kind": "CronTab", "metadata": map[string]any{"name": e.object(i), "labels": map[string]any{"team": fmt.Sprint("round-", e.rounds)}},
		}}
		if _, err := e.life.at(version).Apply(deadline(t), e.object(i), o, metav1.ApplyOptions{FieldManager: "team"}); err != nil {
			return err
		}
	}
	return nil
}

// always lets engines work until stop is called. The other managers write at v2 meanwhile.
func always(t *testing.T, all []*gitOps) (stop func()) {
	ended := make(chan struct{})
	var wait sync.WaitGroup
	for _, e := range all {
		wait.Go(func() { // ends when stop is called
			for {
				select {
				case <-ended:
					return
				case <-time.After(10 * time.Millisecond):
				}
				e.mu.Lock()
				r, err := e.locked(), e.writeOthers(t, "v2")
				e.mu.Unlock()
				if len(r.Drift)+len(r.Changed)+len(r.Errors) > 0 || err != nil {
					t.Errorf("%s, while v1 is retired: %+v, the other managers: %v", e.name, r, err)
				}
				if slices.ContainsFunc(r.Errors, func(text string) bool { return strings.HasPrefix(text, "the engine ended") }) {
					return
				}
			}
		})
	}
	return sync.OnceFunc(func() {
		close(ended)
		wait.Wait()
	})
}
