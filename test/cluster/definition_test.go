package cluster

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/engines"
)

// replaceTime is the time for which somebody writes the definition again and again.
const replaceTime = 30 * time.Second

// olm replaces the whole definition by the vendor's manifest, as OLM and kubectl replace do, while
// clients read and write. The stanza is in the answer of each write.
func (m machine) olm(t *testing.T) {
	m.handOver(t)
	m.replaced(t, "olm", func(vendor map[string]any) {
		vendor["metadata"].(map[string]any)["annotations"] = map[string]any{"operatorframework.io/installed-alongside-1": "operators/vendor"}
		vendor["spec"].(map[string]any)["conversion"] = map[string]any{"strategy": "None"}
	})
}

// crossplane updates the definition every two seconds without the stanza and the annotation, and
// owns it, as Crossplane's package manager does with the definitions of a provider.
func (m machine) crossplane(t *testing.T) {
	m.handOver(t)
	m.replaced(t, "crossplane", func(vendor map[string]any) {
		vendor["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "name": namespace, "uid": m.kubectl(t, "get", "namespace", namespace, "-o", "jsonpath={.metadata.uid}")}}
	})
	m.kubectl(t, "patch", "crd", definition, "--type=json", "-p", `[{"op":"remove","path":"/metadata/ownerReferences"}]`)
}

// replaced writes a manifest without the stanza again and again, under load.
func (m machine) replaced(t *testing.T, manager string, change func(vendor map[string]any)) {
	t.Helper()
	kubectl := filepath.Join(m.dir, "bin/kubectl")
	writes, conflicts := 0, 0
	m.under(t, 0, func() {
		for end := time.Now().Add(replaceTime); time.Now().Before(end); time.Sleep(2 * time.Second) {
			var crd map[string]any
			must(t, json.Unmarshal([]byte(m.kubectl(t, "get", "crd", definition, "-o", "json")), &crd))
			metadata, spec := crd["metadata"].(map[string]any), crd["spec"].(map[string]any)
			crd["metadata"] = map[string]any{"name": definition, "resourceVersion": metadata["resourceVersion"]}
			delete(spec, "conversion")
			delete(crd, "status")
			change(crd)
			text, err := json.Marshal(crd)
			must(t, err)
			answer := m.output(t, text, "sh", "-c", kubectl+" replace --field-manager="+manager+" -f - -o json 2>&1 || true")
			switch {
			case strings.Contains(answer, "Error from server (Conflict)"): // the controller was faster, and the writer reads again
				conflicts++
			case !strings.Contains(answer, `"strategy": "Webhook"`) || !strings.Contains(answer, annotation+`attach": "true"`):
				t.Errorf("the API server stored %s", answer)
			default:
				writes++
			}
		}
	})
	t.Logf("%d replacements, and %d conflicts", writes, conflicts)
	if writes < 3 {
		t.Error("too few replacements")
	}
}

// version retires v1 of the definition with crosswalk retire, while the libraries of Flux and Argo CD
// compare and apply, and clients read and write. The controller keeps the definition before.
func (m machine) version(t *testing.T) {
	m.handOver(t)
	m.again(t)
	defer m.again(t) // with both versions, for the next scenarios
	program, crosswalk := m.made(t, "bin/gitops"), filepath.Join(m.dir, "bin/crosswalk")
	var all []*engines.Engine
	for _, name := range engines.Names {
		e, err := engines.Start(t.Context(), program, name, filepath.Join(m.dir, "pki/admin.kubeconfig"), m.work, engines.Few)
		must(t, err)
		defer func() {
			if log := e.Stop(); t.Failed() {
				t.Logf("%s: %s", name, log)
			}
		}()
		all = append(all, e)
		if r := e.Round(); len(r.Errors) > 0 || r.Objects != e.Each {
			t.Fatalf("%s creates its objects: %+v", name, r)
		}
		eventually.True(t, name+" sees its objects", func() bool { return e.Round().Quiet() }) // Argo CD reads them from a cache
	}
	var mu sync.Mutex
	working := func(when string, action func()) {
		stop := engines.Always(all, func(*engines.Engine) error { return nil }, func(e *engines.Engine, r engines.Round, err error) {
			mu.Lock()
			defer mu.Unlock()
			t.Errorf("%s, %s: %+v", e.Name, when, r)
		})
		defer stop()
		action()
	}
	retire := func(args ...string) string {
		output := m.output(t, nil, "sh", "-c", crosswalk+" retire "+definition+" v1 --yes "+strings.Join(args, " ")+" 2>&1 || true")
		t.Log(output)
		return output
	}

	working("while clients write at both versions", func() {
		m.under(t, 0, func() {
			if output := retire("--idle", "1h"); !strings.Contains(output, "BLOCKED  stop serving v1") || !strings.Contains(output, "kustomize-controller (Apply) at v1: ") {
				t.Error("retire does not stop for the writers at v1")
			}
		})
	})
	module := m.files("c")[0]
	for _, e := range all {
		m.output(t, nil, crosswalk, "convert", "--to", "v2", "-f", e.Dir, "-R", "--write", module)
	}
	moved := crontabs
	moved.stored, moved.want = "v2", map[string]string{"v2": crontabs.want["v2"]}
	moved.object = `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":%q},"spec":{"min":"*","hour":"*","dayOfMonth":"*","month":"*","dayOfWeek":"*/5","image":"my-cron","replicas":1}}`
	working("with manifests at v2", func() {
		m.underLoad(t, moved, 0, func() {
			if output := retire("--idle", "0s"); !strings.Contains(output, "8  DONE     remove v1") {
				t.Error("v1 was not removed")
			}
			time.Sleep(20 * time.Second)
		})
	})
	if got := m.field(t, "{.spec.versions[*].name} {.spec.conversion.strategy}"); got != "v2 None" {
		t.Errorf("the definition has %s", got)
	}
	for _, e := range all {
		// Each engine still owns what it applied at v1: a label that leaves its manifest leaves the object.
		must(t, e.Edit(4, "    tier: gold\n", ""))
		if r := e.Round(); len(r.Errors) > 0 {
			t.Errorf("%s, after a label left its manifest: %+v", e.Name, r)
		}
		if labels := m.kubectl(t, "get", "crontabs.v2.stable.example.com", e.Object(4), "-o", "jsonpath={.metadata.labels}"); strings.Contains(labels, "tier") || !strings.Contains(labels, "app") {
			t.Errorf("%s has the labels %s", e.Object(4), labels)
		}
		t.Logf("%s: %d rounds", e.Name, e.Rounds)
	}
}

// again deletes the definition with its objects, creates it with both versions, and waits until the
// controller has attached it.
func (m machine) again(t *testing.T) {
	t.Helper()
	m.kubectl(t, "delete", "crd", definition, "--timeout=2m")
	m.kubectl(t, "apply", "-f", "deploy/examples/crd.yaml")
	m.attached(t)
	eventually.True(t, "both versions are served", func() bool {
		return strings.Contains(m.output(t, nil, "sh", "-c", fmt.Sprintf("%[1]s get crontabs.v1.stable.example.com,crontabs.v2.stable.example.com 2>&1 || true", filepath.Join(m.dir, "bin/kubectl"))), "No resources found")
	})
	time.Sleep(5 * time.Second) // API servers notice a changed definition within a second
}
