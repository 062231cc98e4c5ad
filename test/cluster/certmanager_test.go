package cluster

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// certManager installs cert-manager with its own chart, has the gateway's chart take its
// certificates from it, and sees two renewals while clients read and write.
func (m machine) certManager(t *testing.T) {
	const module = "github.com/cert-manager/cert-manager"
	source := strings.TrimSpace(m.output(t, nil, "sh", "-c", "cd test/cluster/others && go list -m -f '{{.Dir}}' "+module))
	args := []string{"upgrade", "--install", "cert-manager", filepath.Join(source, "deploy/charts/cert-manager"), "-n", "cert-manager", "--create-namespace",
		"--wait", "--timeout", "5m", "--set", "crds.enabled=true", "--set", "startupapicheck.enabled=false", "--set", "livenessProbe.enabled=false"}
	for command, value := range map[string]string{"controller": "image", "webhook": "webhook.image", "cainjector": "cainjector.image"} {
		image := "crosswalk/cert-manager-" + command
		m.output(t, nil, "test/cluster/images.sh", "program", image, m.made(t, "bin/certmanager"), command)
		args = append(args, "--set", value+".repository=registry.example.com/"+image, "--set", value+".digest="+m.digest(t, image))
	}
	m.output(t, nil, filepath.Join(m.dir, "bin/helm"), args...)
	eventually.True(t, "cert-manager's webhook answers", func() bool {
		issuer := `echo '{"apiVersion":"cert-manager.io/v1","kind":"Issuer","metadata":{"name":"probe","namespace":"default"},"spec":{"selfSigned":{}}}' | `
		return strings.Contains(m.output(t, nil, "sh", "-c", issuer+filepath.Join(m.dir, "bin/kubectl")+" apply --dry-run=server -f - 2>&1 || true"), "probe created")
	})

	// No load meanwhile: API servers trust the previous certificate until cert-manager has replaced
	// the CA.
	m.kubectl(t, "annotate", "crd", definition, annotation+"attach-")
	m.helm(t, "certificate.source=cert-manager", "certificate.secretName=crosswalk-issued")
	m.kubectl(t, "annotate", "crd", definition, "cert-manager.io/inject-ca-from="+namespace+"/crosswalk", "--overwrite")
	defer m.kubectl(t, "annotate", "crd", definition, "cert-manager.io/inject-ca-from-")
	eventually.True(t, "the definition has cert-manager's CA", func() bool { // beside the previous one
		return strings.Contains(m.decoded(t, m.field(t, "{.spec.conversion.webhook.clientConfig.caBundle}")),
			strings.TrimSpace(m.decoded(t, m.ks(t, "get", "secret", "crosswalk-issued", "-o", `jsonpath={.data.ca\.crt}`))))
	})
	t.Log(m.output(t, nil, filepath.Join(m.dir, "bin/crosswalk"), "explain", definition))
	// From the first renewal, it expires after an hour and is renewed each minute.
	m.ks(t, "patch", "certificate", "crosswalk", "--type=merge", "-p", `{"spec":{"duration":"1h","renewBefore":"59m"}}`)
	seen := map[string]bool{}
	for _, pem := range m.served(t) {
		seen[pem] = true
	}
	m.under(t, 0, func() {
		// The first renewal is asked for as cmctl renew does.
		m.ks(t, "patch", "certificate", "crosswalk", "--subresource=status", "--type=merge", "-p",
			`{"status":{"conditions":[{"type":"Issuing","status":"True","reason":"ManuallyTriggered","message":"renew","lastTransitionTime":"`+time.Now().UTC().Format(time.RFC3339)+`"}]}}`)
		for range 2 {
			m.serveCertificate(t, "renewed at both pods", func(pem string) bool { return !seen[pem] })
			for _, pem := range m.served(t) {
				seen[pem] = true
			}
		}
	})
	t.Log(fmt.Sprintf("%d certificates; ", len(seen)), m.ks(t, "get", "certificaterequests", "--no-headers"))
}

// decoded decodes base64.
func (m machine) decoded(t *testing.T, text string) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	must(t, err)
	return string(b)
}
