package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// hostile puts hostile modules of the gateway's own tests beside the serving one: each takes all
// the memory, time or output that it can get while it is vetted, and one serves a kind. The pod
// stays within its memory, no container restarts, and the other kind's requests do not fail.
func (m machine) hostile(t *testing.T) {
	var files []string
	for i, name := range []string{"x07_grow", "a03_grow", "a04_huge", "a05_alloc_spin", "a13_deep", "command_flood", "command_megabytes"} {
		file := filepath.Join(m.work, fmt.Sprintf("Hostile%d.example.com_v1_v2.wasm", i))
		m.output(t, nil, "cp", "runtime/testdata/"+name+".wasm", file)
		files = append(files, file)
	}
	m.modules(t, "hostile-modules", files...)
	m.helm(t, "modules.configMaps={crosswalk-modules,hostile-modules}")
	m.modules(t, "crosswalk-modules", m.files("c")...)
	eventually.True(t, "serving", func() bool { return m.serves(t, m.files("c")[0]) })
	crd := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"hostiles.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
		"names":{"plural":"hostiles","singular":"hostile","kind":"Hostile0"},"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
		"clientConfig":` + m.kubectl(t, "get", "crd", "crontabs.stable.example.com", "-o", "jsonpath={.spec.conversion.webhook.clientConfig}") + `}},"versions":[
		{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
		{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`
	m.output(t, []byte(crd), filepath.Join(m.dir, "bin/kubectl"), "apply", "-f", "-")
	m.kubectl(t, "wait", "--for=condition=Established", "crd/hostiles.example.com")
	m.under(t, 0, func() {
		for i := range 20 {
			object := fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Hostile0","metadata":{"name":"h%d","namespace":"default"},"spec":{"fill":%q}}`, i, strings.Repeat("x", 100_000))
			m.output(t, []byte(object), filepath.Join(m.dir, "bin/kubectl"), "apply", "--server-side", "-f", "-")
			// The module fails; the request's client sees that, and nobody else.
			m.output(t, nil, "sh", "-c", filepath.Join(m.dir, "bin/kubectl")+" get hostiles.v2.example.com || true")
		}
		m.within(t, "after 20 objects")
		m.ks(t, "rollout", "restart", "deployment/crosswalk") // vets all of them again
		m.rolledOut(t)
	})
	m.within(t, "after a restart")
	for _, e := range m.entries(t, m.pods(t)[0]) {
		if strings.HasPrefix(e.File, "Hostile") {
			t.Logf("%s: %s %.100s", e.File, e.State, e.LastError)
		}
	}
	// Argo CD's library lists all kinds, and ends at objects that do not convert.
	m.kubectl(t, "patch", "crd", "hostiles.example.com", "--type=json", "-p", removeStanza)
	m.kubectl(t, "delete", "crd", "hostiles.example.com", "--timeout=2m")
}

// within asserts that no container restarted or reached its limit of memory.
func (m machine) within(t *testing.T, when string) {
	t.Helper()
	for _, p := range m.pods(t) {
		if n := m.ks(t, "get", "pod", p.Name, "-o", "jsonpath={.status.containerStatuses[0].restartCount}"); n != "0" {
			t.Errorf("%s: pod %s restarted %s times", when, p.Name, n)
		}
		peak, limit := m.memory(t, p)
		t.Logf("%s: pod %s had at most %d MiB of %d MiB", when, p.Name, peak>>20, limit>>20)
		if peak >= limit {
			t.Errorf("%s: pod %s reached its limit of memory", when, p.Name)
		}
	}
}

// memory returns the most memory that a gateway's container had, and its limit.
func (m machine) memory(t *testing.T, p pod) (peak, limit int64) {
	t.Helper()
	groups, err := os.ReadFile("/proc/" + m.process(t, p.UID, "/gateway\x00--modules") + "/cgroup")
	must(t, err)
	for line := range strings.Lines(string(groups)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		dir, files := "", [2]string{}
		switch controllers {
		case "memory":
			dir, files = "/sys/fs/cgroup/memory", [2]string{"memory.max_usage_in_bytes", "memory.limit_in_bytes"}
		case "":
			dir, files = "/sys/fs/cgroup", [2]string{"memory.peak", "memory.max"}
		}
		if p, err := number(filepath.Join(dir, path, files[0])); err == nil {
			l, err := number(filepath.Join(dir, path, files[1]))
			must(t, err)
			return p, l
		}
	}
	t.Fatalf("no cgroup of %s counts memory: %s", p.Name, groups)
	return 0, 0
}

func number(file string) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}
