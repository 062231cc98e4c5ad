package cluster

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certManager installs cert-manager with its own chart, has the gateway's chart take its certificates from it, and sees two renewals
// while clients read and write.
func (m machine) certManager(t *testing.T) {
	const module = "github.com/cert-manager/cert-manager"
	source := strings.TrimSpace(m.output(t, nil, "sh", "-c", "cd test/cluster/others && go list -m -f '{{.Dir}}' "+module))
	args := []string{"upgrade", "--install", "cert-manager", filepath.Join(source, "deploy/charts/cert-manager"), "-n", "cert-manager", "--create-namespace",
		"--wait", "--timeout", "5m", "--set", "crds.enabled=true", "--set", "startupapicheck.enabled=false", "--set", "livenessProbe.enabled=false"}
	for command, value := range map[string]string{"controller": "image", "webhook": "webhook.image", "cainjector": "cainjector.image"} {
		image := "crosswalk/cert-manager-" + command
		m.output(t, nil, "test/cluster/images.sh", "program", image, filepath.Join(m.dir, "bin/certmanager"), command)
		args = append(args, "--set", value+".repository=registry.example.com/"+image, "--set", value+".digest="+m.digest(t, image))
	}
	m.output(t, nil, filepath.Join(m.dir, "bin/helm"), args...)
	eventually(t, 2*time.Minute, "cert-manager's webhook answers", func() bool {
		issuer := `echo '{"apiVersion":"cert-manager.io/v1","kind":"Issuer","metadata":{"name":"probe","namespace":"default"},"spec":{"selfSigned":{}}}' | `
		return strings.Contains(m.output(t, nil, "sh", "-c", issuer+filepath.Join(m.dir, "bin/kubectl")+" apply --dry-run=server -f - 2>&1 || true"), "probe created")
	})

	// No load meanwhile: API servers trust the previous certificate until cert-manager has replaced the CA.
	m.kubectl(t, "annotate", "crd", definition, annotation+"attach-")
	m.helm(t, "certificate.source=cert-manager", "certificate.secretName=crosswalk-issued", "certificate.certManager.duration=1h", "certificate.certManager.renewBefore=59m")
	m.kubectl(t, "annotate", "crd", definition, "cert-manager.io/inject-ca-from="+namespace+"/crosswalk", "--overwrite")
	defer m.kubectl(t, "annotate", "crd", definition, "cert-manager.io/inject-ca-from-")
	eventually(t, 2*time.Minute, "the definition has cert-manager's CA", func() bool {
		return m.field(t, "{.spec.conversion.webhook.clientConfig.caBundle}") == m.ks(t, "get", "secret", "crosswalk-issued", "-o", `jsonpath={.data.ca\.crt}`)
	})
	t.Log(m.output(t, nil, filepath.Join(m.dir, "bin/crosswalk"), "explain", definition))
	seen := map[string]bool{}
	for _, pem := range m.served(t) {
		seen[pem] = true
	}
	m.under(t, 0, func() {
		for range 2 {
			m.serveCertificate(t, "renewed at both pods", func(pem string) bool { return !seen[pem] })
			for _, pem := range m.served(t) {
				seen[pem] = true
			}
		}
	})
	t.Log(fmt.Sprintf("%d certificates; ", len(seen)), m.ks(t, "get", "certificaterequests", "--no-headers"))
}
