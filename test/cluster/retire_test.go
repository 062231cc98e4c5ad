package cluster

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// peers is MetalLB's BGPPeer, which it converts by a webhook of its own.
var peers = resource{
	"metallb.io", "bgppeers", "v1beta2", "v1beta1",
	`{"apiVersion":"metallb.io/v1beta2","kind":"BGPPeer","metadata":{"name":%q},"spec":{"myASN":64500,"peerASN":64501,"peerAddress":"192.0.2.1","holdTime":"1m30s","nodeSelectors":[{"matchLabels":{"rack":"a"}}]}}`,
	`{"spec":{"peerPort":%d}}`,
	map[string]string{"v1beta2": `"holdTime":"1m30s"`, "v1beta1": `"nodeSelectors":[{"matchLabels":{"rack":"a"}}]`},
}

const (
	metallb       = "go.universe.tf/metallb"
	metallbSystem = "metallb-system"
	metallbModule = "BGPPeer.metallb.io_v1beta2_v1beta1.wasm"
)

// retire takes the steps of docs/author/adopt.md: the webhook of an operator converts, then an adopted
// module does, the webhook ends, and all of it back again, while clients read and write.
func (m machine) retire(t *testing.T) {
	m.helm(t, "modules.configMaps={crosswalk-modules,metallb-modules}", "profile=large") // an adopted module
	module := m.made(t, filepath.Join("metallb", metallbModule+".zst"))                  // crosswalk adopt makes it of MetalLB's own conversions
	m.webhook(t)
	defer m.kubectl(t, "delete", "namespace", metallbSystem, "--wait=false")
	defer m.kubectl(t, "delete", "crd", "bgppeers.metallb.io")
	crosswalk, kubectl := filepath.Join(m.dir, "bin/crosswalk"), filepath.Join(m.dir, "bin/kubectl")
	before := filepath.Join(m.work, "before.json")
	m.underLoad(t, peers, 0, func() {
		// 1. The gateway serves the module too.
		m.modules(t, "metallb-modules", module)
		eventually.True(t, "served by the gateway", func() bool {
			serving := 0
			for _, p := range m.pods(t) {
				for _, e := range m.entries(t, p) {
					if strings.HasPrefix(e.File, metallbModule) && e.State == "serving" {
						serving++
					}
				}
			}
			return serving == 2
		})
		m.sameObjects(t, m.output(t, nil, "sh", "-c", kubectl+" get bgppeers.v1beta1.metallb.io -A -o json | "+crosswalk+" convert --to v1beta2 -o json "+module))

		// 3. The stanza changes.
		var crd struct{ Spec struct{ Conversion any } }
		must(t, json.Unmarshal([]byte(m.kubectl(t, "get", "crd", "bgppeers.metallb.io", "-o", "json")), &crd))
		text, err := json.Marshal(map[string]any{"spec": map[string]any{"conversion": crd.Spec.Conversion}})
		must(t, err)
		must(t, os.WriteFile(before, text, 0o600))
		t.Log(m.output(t, nil, crosswalk, "attach", "bgppeers.metallb.io"))
		time.Sleep(5 * time.Second) // API servers notice a changed definition within a second

		// 5. The old server ends.
		m.kubectl(t, "-n", metallbSystem, "scale", "deployment/webhook", "--replicas=0")
		m.kubectl(t, "-n", metallbSystem, "wait", "--for=delete", "pod", "-l", "app=webhook", "--timeout=2m")
		time.Sleep(10 * time.Second)

		// And back.
		m.kubectl(t, "-n", metallbSystem, "scale", "deployment/webhook", "--replicas=1")
		m.kubectl(t, "-n", metallbSystem, "rollout", "status", "deployment/webhook", "--timeout=2m")
		time.Sleep(5 * time.Second) // nodes learn a second or two later that the Service has a pod again
		t.Log(m.kubectl(t, "patch", "crd", "bgppeers.metallb.io", "--type=merge", "--patch-file", before))
		time.Sleep(5 * time.Second)
		m.helm(t)
		m.rolledOut(t)
	})
}

// made returns a file below the cluster's directory that others.sh makes while earlier scenarios
// run, and waits for it.
func (m machine) made(t *testing.T, file string) string {
	t.Helper()
	file = filepath.Join(m.dir, file)
	eventually.Within(t, 30*time.Minute, file+", see log/others.log beside it", func() error { _, err := os.Stat(file); return err })
	return file
}

// webhook installs MetalLB's definition, and the server that converts its objects.
func (m machine) webhook(t *testing.T) {
	t.Helper()
	m.output(t, nil, "test/cluster/images.sh", "program", "crosswalk/metallb", m.made(t, "bin/metallb"))
	crt, key := m.certificate(t, "webhook", "webhook-service."+metallbSystem, 365)
	m.apply(t, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"`+metallbSystem+`"}}`)
	m.apply(t, m.kubectl(t, "-n", metallbSystem, "create", "secret", "tls", "webhook", "--cert", crt, "--key", key, "--dry-run=client", "-o", "yaml"))
	m.apply(t, fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: webhook, namespace: %[1]s}
spec:
  selector: {matchLabels: {app: webhook}}
  template:
    metadata: {labels: {app: webhook}}
    spec:
      containers:
      - name: webhook
        image: registry.example.com/crosswalk/metallb@%[2]s
        readinessProbe: {tcpSocket: {port: 9443}}
        volumeMounts: [{name: tls, mountPath: /tls}]
      volumes: [{name: tls, secret: {secretName: webhook}}]
---
apiVersion: v1
kind: Service
metadata: {name: webhook-service, namespace: %[1]s}
spec: {selector: {app: webhook}, ports: [{port: 443, targetPort: 9443}]}
`, metallbSystem, m.digest(t, "crosswalk/metallb")))
	m.kubectl(t, "-n", metallbSystem, "rollout", "status", "deployment/webhook", "--timeout=3m")
	source := strings.TrimSpace(m.output(t, nil, "sh", "-c", "cd test/cluster/others && go list -m -f '{{.Dir}}' "+metallb))
	m.kubectl(t, "create", "-f", filepath.Join(source, "config/crd/bases/metallb.io_bgppeers.yaml"))
	ca, err := os.ReadFile(crt)
	must(t, err)
	m.kubectl(t, "patch", "crd", "bgppeers.metallb.io", "--type=merge", "-p", fmt.Sprintf(`{"spec":{"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
		"clientConfig":{"caBundle":%q,"service":{"name":"webhook-service","namespace":%q,"path":"/convert"}}}}}}`, base64.StdEncoding.EncodeToString(ca), metallbSystem))
	m.kubectl(t, "wait", "--for=condition=Established", "crd/bgppeers.metallb.io")
	time.Sleep(5 * time.Second)
}

// sameObjects compares objects that the module converted with those that the API server returns.
func (m machine) sameObjects(t *testing.T, converted string) {
	t.Helper()
	type object struct{ Spec map[string]any }
	var ours []object
	for decoder := json.NewDecoder(strings.NewReader(converted)); decoder.More(); {
		var o object
		must(t, decoder.Decode(&o))
		ours = append(ours, o)
	}
	var theirs struct{ Items []object }
	must(t, json.Unmarshal([]byte(m.kubectl(t, "get", "bgppeers.v1beta2.metallb.io", "-A", "-o", "json")), &theirs))
	for _, o := range slices.Concat(ours, theirs.Items) {
		delete(o.Spec, "peerPort")                                                  // which clients change all the time
		for _, defaulted := range []string{"disableMP", "dualStackAddressFamily"} { // by API servers, from the definition
			delete(o.Spec, defaulted)
		}
	}
	if len(ours) != clients || !reflect.DeepEqual(ours, theirs.Items) {
		t.Errorf("the module converts to %+v, the API server to %+v", ours, theirs.Items)
	}
}
