package cluster

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// sidecar has a container in each pod pull the modules from a registry, and swaps them there.
func (m machine) sidecar(t *testing.T) {
	const reference = "10.250.0.1:5000/crosswalk/pulled:v1" // pods cannot resolve the registry's name
	push := func(language string) string {
		files := m.files(language)
		m.push(t, reference, files)
		return files[0]
	}
	file := push("c")
	m.made(t, "images/crosswalk.built")
	m.under(t, 0, func() {
		m.helm(t, "modules.source=sidecar", "modules.sidecar.image=registry.example.com/crosswalk/crosswalk@"+m.digest(t, "crosswalk/crosswalk"),
			"modules.sidecar.reference="+reference, "modules.sidecar.interval=2s", "gateway.require={CronTab.stable.example.com_v1_v2}")
		m.rolledOut(t)
		if !m.serves(t, file) {
			t.Error("the pods do not serve the registry's module")
		}
		for _, language := range []string{"rust", "c"} {
			file := push(language)
			began := time.Now()
			eventually.True(t, "swapped on both pods", func() bool { return m.serves(t, file) })
			t.Logf("both pods serve the module in %s after %v", language, time.Since(began).Round(time.Second))
		}
	})
	for _, p := range m.pods(t) {
		t.Logf("pod %s: the sidecar's log ends with %s", p.Name, m.ks(t, "logs", p.Name, "-c", "modules", "--tail=1"))
	}
}

// push pushes files with crosswalk, and returns the reference with the digest.
func (m machine) push(t *testing.T, reference string, files []string) (pushed string) {
	t.Helper()
	return strings.TrimSpace(m.output(t, nil, filepath.Join(m.dir, "bin/crosswalk"), append([]string{"push", reference}, files...)...))
}
