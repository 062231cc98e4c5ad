package cluster

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	definition = "crontabs.stable.example.com"
	annotation = "crosswalk-gateway.github.io/"
)

// controller hands the certificate and the definition to the controller: it attaches the annotated definition, restores its stanza, and is
// replaced by another without a failed request.
func (m machine) controller(t *testing.T) {
	// No load meanwhile: API servers trust the previous certificate until the controller has replaced the stanza.
	m.helm(t, "certificate.source=controller", "certificate.secretName=crosswalk-kept", "controller.enabled=true", "controller.admissionPolicy.enabled=true",
		"controller.image.repository=registry.example.com/crosswalk/controller", "controller.image.digest="+m.digest(t, "crosswalk/controller"))
	// The cluster has no name server: the controller's pods have the name of the Service in their hosts file.
	m.ks(t, "patch", "deployment", "crosswalk-controller", "-p", fmt.Sprintf(`{"spec":{"template":{"spec":{"hostAliases":[{"ip":%q,"hostnames":["crosswalk.%s.svc"]}]}}}}`,
		m.ks(t, "get", "service", "crosswalk", "-o", "jsonpath={.spec.clusterIP}"), namespace))
	m.ks(t, "rollout", "status", "deployment/crosswalk-controller", "--timeout=3m")
	m.kubectl(t, "annotate", "crd", definition, annotation+"attach=true", "--overwrite")
	eventually(t, 3*time.Minute, "attached by the controller", func() bool {
		return strings.HasPrefix(m.field(t, `{.metadata.annotations.crosswalk-gateway\.github\.io/status}`), "Attached") &&
			m.field(t, "{.spec.conversion.webhook.clientConfig.caBundle}") == m.ks(t, "get", "secret", "crosswalk-kept", "-o", `jsonpath={.data.ca\.crt}`)
	})
	t.Log(m.field(t, `{.metadata.annotations.crosswalk-gateway\.github\.io/status}`))
	eventually(t, 3*time.Minute, "the gateway reads the copy of the definition", func() bool {
		for _, p := range m.pods(t) {
			copied := false
			for _, e := range m.entries(t, p) {
				copied = copied || e.File == definition+".crd.yaml" && e.State == "checking"
			}
			if !copied {
				return false
			}
		}
		return true
	})

	const remove = ` patch crd ` + definition + ` --type=json -p '[{"op":"replace","path":"/spec/conversion","value":{"strategy":"None"}}]'`
	kubectl := filepath.Join(m.dir, "bin/kubectl")
	if answer := m.output(t, nil, "sh", "-c", kubectl+remove+" 2>&1 || true"); !strings.Contains(answer, "spec.conversion must stay") {
		t.Errorf("the policy lets the stanza be removed: %s", answer)
	}
	m.kubectl(t, "delete", "validatingadmissionpolicybinding", "crosswalk-controller-"+namespace)
	time.Sleep(5 * time.Second) // API servers notice it within seconds
	m.output(t, nil, "sh", "-c", kubectl+remove)
	began := time.Now()
	eventually(t, time.Minute, "restored", func() bool { return m.field(t, "{.spec.conversion.strategy}") == "Webhook" })
	t.Logf("the controller restored the stanza after %v", time.Since(began).Round(time.Millisecond))

	holder := func() string {
		return m.ks(t, "get", "lease", "crosswalk-controller", "-o", "jsonpath={.spec.holderIdentity}")
	}
	m.under(t, 0, func() {
		before := holder()
		m.ks(t, "delete", "pod", "-l", "app.kubernetes.io/component=controller", "--wait=false")
		eventually(t, 2*time.Minute, "another holds the lease", func() bool { h := holder(); return h != "" && h != before })
		m.ks(t, "scale", "deployment/crosswalk-controller", "--replicas=0")
		time.Sleep(10 * time.Second) // conversions go on without it
		m.ks(t, "scale", "deployment/crosswalk-controller", "--replicas=1")
		m.ks(t, "rollout", "status", "deployment/crosswalk-controller", "--timeout=3m")
	})
}

// field returns a field of the definition.
func (m machine) field(t *testing.T, path string) string {
	t.Helper()
	return m.kubectl(t, "get", "crd", definition, "-o", "jsonpath="+path)
}
