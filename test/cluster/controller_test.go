package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

const (
	definition = "crontabs.stable.example.com"
	annotation = "crosswalk-gateway.github.io/"

	removeStanza = `[{"op":"replace","path":"/spec/conversion","value":{"strategy":"None"}}]`
)

// controller hands the certificate and the definition to the controller: it attaches the annotated
// definition, renews the certificate, restores the stanza, and is replaced by another without a
// failed request.
func (m machine) controller(t *testing.T) {
	m.handOver(t)
	m.forget(t)
	m.restore(t)
	m.takeOver(t)
}

// handOver hands the certificate and the definition to the controller, unless it has them, and has
// the chart's policies back.
func (m machine) handOver(t *testing.T) {
	t.Helper()
	if strings.Contains(m.ks(t, "get", "secrets", "-o", "name"), "crosswalk-kept") {
		m.startController(t)
		return
	}
	crt, key := m.certificate(t, "kept", "crosswalk."+namespace, 20) // which the controller renews at once
	m.apply(t, m.ks(t, "create", "secret", "generic", "crosswalk-kept", "--type=kubernetes.io/tls", "--from-file=tls.crt="+crt, "--from-file=tls.key="+key,
		"--from-file=ca.crt="+crt, "--dry-run=client", "-o", "yaml"))
	current := filepath.Join(m.work, "current.crt")
	must(t, os.WriteFile(current, []byte(m.served(t)[0]), 0o600))
	m.under(t, 0, func() {
		m.trust(t, current, crt)
		time.Sleep(5 * time.Second) // API servers notice a changed definition within a second
		m.startController(t)
		kept, err := os.ReadFile(crt)
		must(t, err)
		m.serveCertificate(t, "renewed by the controller", func(pem string) bool { return pem != string(kept) })
	})
}

// startController installs the controller, and has it attach the definition.
func (m machine) startController(t *testing.T) {
	m.made(t, "images/controller.built")
	m.helm(t, "certificate.source=controller", "certificate.secretName=crosswalk-kept", "controller.enabled=true", "controller.admissionPolicy.enabled=true",
		"controller.image.repository=registry.example.com/crosswalk/controller", "controller.image.digest="+m.digest(t, "crosswalk/controller"))
	// The cluster has no name server: the controller's pods have the name of the Service in their
	// hosts file.
	m.ks(t, "patch", "deployment", "crosswalk-controller", "-p", fmt.Sprintf(`{"spec":{"template":{"spec":{"hostAliases":[{"ip":%q,"hostnames":["crosswalk.%s.svc"]}]}}}}`,
		m.ks(t, "get", "service", "crosswalk", "-o", "jsonpath={.spec.clusterIP}"), namespace))
	m.ks(t, "rollout", "status", "deployment/crosswalk-controller", "--timeout=3m")
	m.attached(t)
}

// attached asks the controller to attach the definition, and waits until it has.
func (m machine) attached(t *testing.T) {
	t.Helper()
	m.kubectl(t, "annotate", "crd", definition, annotation+"attach=true", "--overwrite")
	eventually.True(t, "attached by the controller", func() bool {
		return strings.HasPrefix(m.field(t, `{.metadata.annotations.crosswalk-gateway\.github\.io/status}`), "Attached") &&
			m.field(t, "{.spec.conversion.webhook.clientConfig.caBundle}") == m.ks(t, "get", "secret", "crosswalk-kept", "-o", `jsonpath={.data.ca\.crt}`)
	})
	t.Log(m.field(t, `{.metadata.annotations.crosswalk-gateway\.github\.io/status}`))
	eventually.True(t, "the gateway reads the copy of the definition", func() bool {
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
}

// forget has the controller end the trust in the certificate's predecessor, as it does an hour
// after the renewal.
func (m machine) forget(t *testing.T) {
	cas := func() int {
		return strings.Count(m.decoded(t, m.field(t, "{.spec.conversion.webhook.clientConfig.caBundle}")), "BEGIN CERTIFICATE")
	}
	if n := cas(); n != 2 {
		t.Errorf("after the renewal the definition trusts %d certificate authorities", n)
	}
	m.under(t, 0, func() {
		m.ks(t, "annotate", "secret", "crosswalk-kept", annotation+"since="+time.Now().Add(-2*time.Hour).UTC().Format(time.RFC3339), "--overwrite")
		eventually.True(t, "one CA left", func() bool { return cas() == 1 })
	})
}

// restore removes the stanza, which one policy undoes in the same write, which another prevents, and
// which the controller undoes.
func (m machine) restore(t *testing.T) {
	m.kubectl(t, "patch", "crd", definition, "--type=json", "-p", removeStanza)
	if got := m.field(t, "{.spec.conversion.strategy}"); got != "Webhook" {
		t.Errorf("after a write without the stanza the strategy is %s", got)
	}
	m.kubectl(t, "delete", "mutatingadmissionpolicybinding", "crosswalk-controller-"+namespace)
	time.Sleep(5 * time.Second) // API servers notice it within seconds
	answer := m.output(t, nil, "sh", "-c", filepath.Join(m.dir, "bin/kubectl")+" patch crd "+definition+" --type=json -p '"+removeStanza+"' 2>&1 || true")
	if !strings.Contains(answer, "spec.conversion must stay") {
		t.Errorf("the policy lets the stanza be removed: %s", answer)
	}
	m.kubectl(t, "delete", "validatingadmissionpolicybinding", "crosswalk-controller-"+namespace)
	time.Sleep(5 * time.Second) // API servers notice it within seconds
	m.restored(t)
}

// restored removes the stanza without a policy, and waits until the controller has put it back.
func (m machine) restored(t *testing.T) {
	t.Helper()
	m.kubectl(t, "patch", "crd", definition, "--type=json", "-p", removeStanza)
	began := time.Now()
	eventually.True(t, "restored", func() bool { return m.field(t, "{.spec.conversion.strategy}") == "Webhook" })
	t.Logf("the controller restored the stanza after %v", time.Since(began).Round(time.Millisecond))
}

// takeOver stops the process of the working one of two replicas, as if it hung, and lets it go on
// when the other replica works; deletes pods; and leaves no replica for a while.
func (m machine) takeOver(t *testing.T) {
	holder := func() (name string) {
		name, _, _ = strings.Cut(m.ks(t, "get", "lease", "crosswalk-controller", "-o", "jsonpath={.spec.holderIdentity}"), "_")
		return name
	}
	m.ks(t, "scale", "deployment/crosswalk-controller", "--replicas=2")
	m.ks(t, "rollout", "status", "deployment/crosswalk-controller", "--timeout=3m")
	m.under(t, 0, func() {
		before := holder()
		pid := m.process(t, m.ks(t, "get", "pod", before, "-o", "jsonpath={.metadata.uid}"), "/controller\x00--namespace")
		m.output(t, nil, "kill", "-STOP", pid)
		defer m.output(t, nil, "sh", "-c", "kill -CONT "+pid+" || true") // unless the kubelet has replaced it
		began := time.Now()
		eventually.True(t, "the other replica holds the lease", func() bool { h := holder(); return h != "" && h != before })
		t.Logf("the other replica works after %v", time.Since(began).Round(time.Millisecond))
	})
	m.restored(t)
	m.under(t, 0, func() {
		before := holder()
		m.ks(t, "delete", "pod", "-l", "app.kubernetes.io/component=controller", "--wait=false")
		eventually.True(t, "a new pod holds the lease", func() bool { h := holder(); return h != "" && h != before })
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
