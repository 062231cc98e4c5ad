package fuzz

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

const plugins = "../../../plugins"

// compiled keeps the code of modules that several tests open; nil if the machine has no place for
// it.
var compiled *codecache.Cache

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "crosswalk-fuzz-")
	if err == nil {
		compiled, _ = codecache.Open(filepath.Join(dir, "cache"), 1<<30)
	}
	code := m.Run()
	if compiled != nil {
		compiled.Close()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// build builds a converter of the repository in Go.
func build(t *testing.T, source string) (wasm []byte) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a converter")
	}
	file := filepath.Join(t.TempDir(), "built.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", file, ".")
	cmd.Dir = filepath.Join(plugins, source)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// buildExample updates an example in bin/plugins, which is quick after make plugins. It skips the test if the
// toolchain is missing.
func buildExample(t *testing.T, example, language, module string) (wasm []byte) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a converter")
	}
	dir, err := filepath.Abs("../../../bin/plugins")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", filepath.Join(plugins, "build.sh"), example)
	cmd.Env = append(os.Environ(), "OUT="+dir, "LANGUAGES="+language)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("build.sh: %v\n%s", err, out)
	}
	if strings.Contains(string(out), "skipped "+language+":") { // there may be an older module
		t.Skipf("no toolchain for %s:\n%s", language, out)
	}
	wasm, err = os.ReadFile(filepath.Join(dir, language, module+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// open opens a module under a name, with a sidecar unless it is empty.
func open(t testing.TB, name string, wasm []byte, sidecar string) *module.Module {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, name+".wasm")
	if err := os.WriteFile(file, wasm, 0o644); err != nil {
		t.Fatal(err)
	}
	if sidecar != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(sidecar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := runtime.Open(context.Background(), file, runtime.OpenConfig{Limits: Limits(module.Limits{}), Cache: compiled})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// defined returns the definition of a kind, or the first one of a file.
func defined(t testing.TB, file, kind string) definition.Definition {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := definition.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(d definition.Definition) bool { return kind == "" || d.Kind() == kind })
	if i < 0 {
		t.Fatalf("%s does not define %s", file, kind)
	}
	return all[i]
}

var mistakes struct {
	once sync.Once
	wasm []byte
}

// mistakesModule returns the module of plugins/testdata/mistakes.
func mistakesModule(t *testing.T) []byte {
	t.Helper()
	mistakes.once.Do(func() { mistakes.wasm = build(t, "testdata/mistakes/go") })
	if mistakes.wasm == nil {
		t.Skip("the module with mistakes was not built")
	}
	return mistakes.wasm
}

// mistake runs the module of plugins/testdata/mistakes as the converter of a kind.
func mistake(t *testing.T, kind, sidecar string, change func(*Config)) *Report {
	t.Helper()
	wasm := mistakesModule(t)
	cfg := Config{
		CRD:  defined(t, filepath.Join(plugins, "testdata/mistakes/crd.yaml"), kind+".mistakes.example.com").CRD,
		Seed: 1, Objects: 300,
	}
	name := kind + ".mistakes.example.com"
	for _, v := range cfg.CRD.Spec.Versions {
		name += "_" + v.Name
	}
	cfg.Modules = []Module{open(t, name, wasm, sidecar)}
	if change != nil {
		change(&cfg)
	}
	r, err := Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// declared are the sidecars of mistakes in declarations.
var declared = map[string]string{
	"Undeclared": "fields: {v1: [spec.paused], v2: [spec.paused]}",
	"Misspelt":   "fields: {v1: [spec.szie], v2: [spec.size]}",
}

// TestMistakes demands that each mistake is found within 300 objects, with an object of at most
// five fields, and that a correct converter passes. The first ten are mistakes of released
// operators.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ kind, property, direction, path, was, is string }{
		{"ListEntry", Lost, "v1→v2", "spec.ports[].protocol", `"UDP"`, ""},
		{"LargeInteger", Changed, "v1→v2", "spec.limit", "9007199254740993", "9007199254740992"},
		{"EnumDefault", Added, "v1→v2", "spec.policy", "", `"Delete"`},
		{"LabelSelector", Lost, "v1→v2", "spec.selector.matchExpressions[].operator", `"Exists"`, ""},
		{"DurationText", Changed, "v1→v2", "spec.timeout", `"90s"`, `"1m30s"`},
		{"MapOrder", Reordered, "v2→v1", "spec.env", "", ""},
		{"StatusDropped", Lost, "v1→v2", "status.phase", `"example"`, ""},
		{"AnnotationSwallowed", Lost, "v1→v2", "metadata.annotations.*", `"a"`, ""},
		{"EmptyList", Lost, "v1→v2", "spec.hosts", "[]", ""},
		{"UnionBranch", Lost, "v1→v2", "spec.source.inline", `"example"`, ""},
		{"FieldRemoved", Lost, "v1→v2", "spec.interface", "", ""},
		{"FirstOnly", Lost, "v1→v2", "spec.hosts[]", "", ""},
		{"ZeroValues", Lost, "v1→v2", "spec.rules[]", "", ""},
		{"Stale", Stale, "v2→v1", "spec.size", "", ""},
		{"Counter", Dependent, "v1→v2", "spec.size", "", ""},
		{"Refuses", Refused, "v1→v2", "spec.size", "", ""},
		{"Invents", Fragment, "v1→v2", "spec.paused", "", "false"},
		{"Grows", Size, "v1→v2", "spec.name", "", ""},
		{"Hidden", Stale, "v1→v2", "spec.size", "", ""},
		{"StaleDetour", Stale, "v3→v1", "spec.size", "", ""},
		{"Detour", Chain, "v1→v3", "spec.paused", "", ""},
		{"Cuts", Cut, "v1→v2", "spec.suspended", "", ""},
		{"Rejects", Rejected, "v1→v2", "spec.policy", "", ""},
		{"Crashes", Violation, "v1→v2", "spec.size", "", ""},
		{"Renames", Violation, "v1→v2", ".", "", ""},
		{"Ages", Violation, "v1→v2", "metadata", "", ""},
		{"Undeclared", Undeclared, "v1→v2", "spec.paused", "", ""},
		{"Misspelt", Undeclared, "v1→v1", "spec.szie", "", ""},
		{"Correct", "", "", "", "", ""},
	} {
		t.Run(c.kind, func(t *testing.T) {
			r := mistake(t, c.kind, declared[c.kind], func(cfg *Config) { cfg.Large = true })
			if c.property == "" {
				for _, f := range r.Findings {
					t.Errorf("a correct converter: %s\n%s", f.Text(), f.Object)
				}
				return
			}
			i := slices.IndexFunc(r.Findings, func(f Finding) bool {
				return f.Property == c.property && f.From+"→"+f.To == c.direction && f.Path == c.path
			})
			if i < 0 {
				t.Fatalf("%s of %s was not found in %d objects, but: %v", c.property, c.path, r.Objects, r.Findings)
			}
			f := r.Findings[i]
			if f.Fields > 5 || f.Object != nil && f.Objects < 1 || f.Objects > r.Objects || (f.Object == nil) != (c.kind == "Misspelt") || (f.Large == nil) != (c.property != Size) {
				t.Errorf("%d fields, found after %d objects: %s", f.Fields, f.Objects, f.Object)
			}
			if c.was != "" && string(f.Was) != c.was || c.is != "" && string(f.Is) != c.is || c.was == "" && c.is != "" && f.Was != nil {
				t.Errorf("%s, want was %s, is %s", f.Values(), c.was, c.is)
			}
		})
	}
}

// TestRealDefinitions fuzzes a converter that returns objects unchanged with large real
// definitions: it loses the fields that the versions do not share, and each loss has a small
// object.
func TestRealDefinitions(t *testing.T) {
	wasm := mistakesModule(t)
	for _, c := range []struct{ file, name, loss string }{
		{"clusters.cluster.x-k8s.io", "Cluster.cluster.x-k8s.io_v1beta1_v1beta2", "v1beta1→v1beta2→v1beta1 spec.topology.class: lost"},
		{"machinedeployments.cluster.x-k8s.io", "MachineDeployment.cluster.x-k8s.io_v1beta1_v1beta2", "v1beta1→v1beta2→v1beta1 spec.minReadySeconds: lost"},
		{"tasks.tekton.dev", "Task.tekton.dev_v1beta1_v1", "v1beta1→v1→v1beta1 spec.resources: lost"},
		{"alertmanagerconfigs.monitoring.coreos.com", "AlertmanagerConfig.monitoring.coreos.com_v1alpha1_v1beta1", "v1alpha1→v1beta1→v1alpha1 spec.muteTimeIntervals: lost"},
		{"certificates.cert-manager.io", "Certificate.cert-manager.io_v1alpha2_v1alpha3_v1beta1_v1", "v1alpha2→v1→v1alpha2 spec.keyAlgorithm: lost"},
	} {
		t.Run(c.file, func(t *testing.T) {
			packed, err := os.Open(filepath.Join("../../../host/schema/testdata", c.file+".yaml.gz"))
			if err != nil {
				t.Fatal(err)
			}
			defer packed.Close()
			inflated, err := gzip.NewReader(packed)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(inflated)
			if err != nil {
				t.Fatal(err)
			}
			all, err := definition.Read(text)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(context.Background(), Config{CRD: all[0].CRD, Modules: []Module{open(t, c.name, wasm, "")}, Seed: 1, Objects: 64})
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, f := range r.Findings {
				found = found || strings.HasPrefix(f.Text(), c.loss)
				if f.Fields > 16 {
					t.Errorf("%d fields: %s\n%s", f.Fields, f.Text(), f.Object)
				}
			}
			if !found {
				t.Errorf("%s was not found:", c.loss)
				for _, f := range r.Findings {
					t.Log(f.Text())
				}
			}
		})
	}
}

// TestSameSeedSameReport repeats a run, and repeats a finding with the number of objects that it
// names.
func TestSameSeedSameReport(t *testing.T) {
	report := func(objects int) *Report {
		return mistake(t, "UnionBranch", "", func(c *Config) { c.Objects = objects })
	}
	text := func(r *Report) string {
		all, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	first := report(200)
	if a, b := text(first), text(report(200)); a != b {
		t.Errorf("two runs differ:\n%s\n%s", a, b)
	}
	for _, f := range first.Findings {
		if !slices.ContainsFunc(report(f.Objects).Findings, func(g Finding) bool { return g.key == f.key && string(g.Object) == string(f.Object) }) {
			t.Errorf("with %d objects, this is not found again: %s", f.Objects, f.Text())
		}
	}
}

func TestLossyAcknowledges(t *testing.T) {
	r := mistake(t, "StatusDropped", `lossy:
- {from: v1, to: v2, path: status.*, reason: it is computed again}
- {from: v2, to: v1, path: status.phase, reason: a reason}
- {from: v2, to: v1, path: spec.name, reason: never}
`, nil)
	if len(r.Known) < 3 || !slices.ContainsFunc(r.Known, func(f Finding) bool {
		return f.Path == "status.observedGeneration" && f.Reason == "it is computed again"
	}) {
		t.Errorf("acknowledged: %v", r.Known)
	}
	for _, f := range r.Findings {
		if f.From == "v1" && f.Path != "status" || f.Path == "status.phase" {
			t.Errorf("it is acknowledged: %s", f.Text())
		}
	}
	if len(r.Findings) == 0 {
		t.Error("the other losses from v2 are acknowledged, too")
	}
	if len(r.Unused) != 1 || r.Unused[0].Path != "spec.name" {
		t.Errorf("did not occur: %v", r.Unused)
	}
}

// TestExamplesLoseNothing fuzzes the repository's examples with the losses that their sidecars
// acknowledge.
func TestExamplesLoseNothing(t *testing.T) {
	for _, c := range []struct {
		crd      string
		examples []string
		language string
		objects  int
	}{
		{"crontab", []string{"crontab"}, "go", 600},
		{"hostport", []string{"hostport"}, "go", 600},
		{"database", []string{"database"}, "go", 600},
		{"widget-v1beta1-v1", []string{"widget-v1alpha1-v1beta1", "widget-v1beta1-v1"}, "go", 600},
		{"certificate", []string{"certificate"}, "go", 2400}, // until its rarest loss occurs
		{"healthcheck", []string{"healthcheck"}, "rust", 600},
		{"environment", []string{"environment"}, "assemblyscript", 600},
	} {
		t.Run(c.crd, func(t *testing.T) {
			cfg := Config{Seed: 1, Objects: c.objects, Large: true}
			for _, example := range c.examples {
				name, err := os.ReadFile(filepath.Join(plugins, example, "MODULE"))
				if err != nil {
					t.Fatal(err)
				}
				base := strings.TrimSpace(string(name))
				sidecar, err := os.ReadFile(filepath.Join(plugins, example, base+".yaml"))
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				cfg.Modules = append(cfg.Modules, open(t, base, buildExample(t, example, c.language, base), string(sidecar)))
			}
			cfg.CRD = defined(t, filepath.Join(plugins, c.crd, "crd.yaml"), "").CRD
			r, err := Run(context.Background(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				t.Errorf("%s\n%s", f.Text(), f.Object)
			}
			for _, u := range r.Unused {
				t.Errorf("acknowledged, and did not occur: %v", u)
			}
		})
	}
}
