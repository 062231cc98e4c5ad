// Package cluster tests the gateway in a Kubernetes cluster of two nodes, installed by its chart:
// swaps, rollouts, failures of pods and nodes, renewed certificates and other sources of modules,
// while clients read and write. `make cluster` starts the cluster and runs this package in the
// network of its first node; without one the package does nothing.
package cluster

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

const (
	namespace = "crosswalk-system"
	module    = "CronTab.stable.example.com_v1_v2.wasm"
)

// machine is the cluster that up.sh started.
type machine struct {
	dir  string // $CLUSTER
	root string // the repository
	work string // scratch of this run
}

// output runs a program and returns its standard output; a failure ends the test.
func (m machine) output(t *testing.T, stdin []byte, name string, args ...string) string {
	t.Helper()
	var out, problem bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = m.root, bytes.NewReader(stdin), &out, &problem
	cmd.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(m.dir, "pki/admin.kubeconfig"), "STORAGE_DRIVER=overlay")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), problem.String())
	}
	return out.String()
}

func (m machine) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	return m.output(t, nil, filepath.Join(m.dir, "bin/kubectl"), args...)
}

// ks is kubectl in the gateway's namespace.
func (m machine) ks(t *testing.T, args ...string) string {
	t.Helper()
	return m.kubectl(t, append([]string{"-n", namespace}, args...)...)
}

// modules applies a ConfigMap with files, as deploy/README.md says.
func (m machine) modules(t *testing.T, name string, files ...string) {
	t.Helper()
	manifest := m.output(t, nil, filepath.Join(m.dir, "bin/crosswalk"), append([]string{"configmap", "--namespace", namespace, name}, files...)...)
	m.apply(t, manifest)
	m.synced(t)
}

// helm installs or upgrades the chart with further values and waits for it.
func (m machine) helm(t *testing.T, values ...string) {
	t.Helper()
	args := []string{"upgrade", "--install", "crosswalk", "deploy/chart", "-n", namespace, "--wait", "--timeout", "5m",
		"--set", "image.repository=registry.example.com/crosswalk/gateway", "--set", "image.digest=" + m.digest(t, "crosswalk/gateway")}
	for _, v := range values {
		args = append(args, "--set", v)
	}
	m.output(t, nil, filepath.Join(m.dir, "bin/helm"), args...)
}

// digest pushes an image of this machine to the cluster's registry, once, and returns its digest.
func (m machine) digest(t *testing.T, image string) string {
	t.Helper()
	file := filepath.Join(m.work, strings.ReplaceAll(image, "/", "-")+".digest")
	if _, err := os.Stat(file); err != nil {
		m.output(t, nil, "buildah", "push", "-q", "--tls-verify=false", "--digestfile", file, "localhost/"+image+":dev", "docker://10.250.0.1:5000/"+image)
	}
	digest, err := os.ReadFile(file)
	must(t, err)
	return strings.TrimSpace(string(digest))
}

// pod is one gateway.
type pod struct{ Name, UID, IP, Node string }

// pods returns the pods that run and are ready.
func (m machine) pods(t *testing.T) (pods []pod) {
	t.Helper()
	var list struct {
		Items []struct {
			Metadata struct {
				Name, UID         string
				DeletionTimestamp *string
			}
			Spec   struct{ NodeName string }
			Status struct {
				PodIP      string
				Conditions []struct{ Type, Status string }
			}
		}
	}
	must(t, json.Unmarshal([]byte(m.ks(t, "get", "pods", "-l", "app.kubernetes.io/component=gateway", "-o", "json")), &list))
	for _, i := range list.Items {
		for _, c := range i.Status.Conditions {
			if c.Type == "Ready" && c.Status == "True" && i.Metadata.DeletionTimestamp == nil {
				pods = append(pods, pod{i.Metadata.Name, i.Metadata.UID, i.Status.PodIP, i.Spec.NodeName})
			}
		}
	}
	return pods
}

// certificate makes a self-signed certificate for a Service, for a number of days, and returns the
// names of its files.
func (m machine) certificate(t *testing.T, name, service string, days int) (crt, key string) {
	t.Helper()
	crt, key = filepath.Join(m.work, name+".crt"), filepath.Join(m.work, name+".key")
	m.output(t, nil, "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", strconv.Itoa(days), "-subj", "/CN="+name,
		"-addext", "subjectAltName=DNS:"+service+".svc", "-keyout", key, "-out", crt)
	return crt, key
}

// served returns the certificates that the pods serve, in PEM.
func (m machine) served(t *testing.T) (pems []string) {
	t.Helper()
	for _, p := range m.pods(t) {
		c, err := tls.Dial("tcp", p.IP+":9443", &tls.Config{InsecureSkipVerify: true}) // to look at it
		if err != nil {
			return nil // it ends, or begins
		}
		pems = append(pems, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.ConnectionState().PeerCertificates[0].Raw})))
		c.Close()
	}
	return pems
}

// serveCertificate waits until both pods serve a certificate that holds.
func (m machine) serveCertificate(t *testing.T, condition string, holds func(pem string) bool) {
	t.Helper()
	eventually.True(t, condition, func() bool {
		pems := m.served(t)
		return len(pems) == 2 && holds(pems[0]) && holds(pems[1])
	})
}

// synced makes the kubelets deliver Secrets and ConfigMaps at once instead of in a minute.
func (m machine) synced(t *testing.T) {
	t.Helper()
	m.ks(t, "annotate", "pods", "-l", "app.kubernetes.io/component=gateway", fmt.Sprintf("synced=%d", time.Now().UnixNano()), "--overwrite")
}

// apply applies a manifest.
func (m machine) apply(t *testing.T, manifest string) {
	t.Helper()
	m.output(t, []byte(manifest), filepath.Join(m.dir, "bin/kubectl"), "apply", "--server-side", "--force-conflicts", "-f", "-")
}

// trust puts certificates into the caBundle of the CustomResourceDefinition.
func (m machine) trust(t *testing.T, crts ...string) {
	t.Helper()
	var bundle []byte
	for _, crt := range crts {
		b, err := os.ReadFile(crt)
		must(t, err)
		bundle = append(bundle, b...)
	}
	m.kubectl(t, "patch", "crd", "crontabs.stable.example.com", "--type=json", "-p",
		fmt.Sprintf(`[{"op":"replace","path":"/spec/conversion/webhook/clientConfig/caBundle","value":%q}]`, base64.StdEncoding.EncodeToString(bundle)))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// start returns the cluster, or skips the test if there is none.
func start(t *testing.T) machine {
	dir := os.Getenv("CROSSWALK_CLUSTER")
	if dir == "" {
		t.Skip("there is no cluster: make cluster starts one and runs this test in it")
	}
	if c, err := net.DialTimeout("tcp", "10.250.0.1:6443", 5*time.Second); err != nil {
		t.Fatal(err)
	} else {
		c.Close()
	}
	root, err := filepath.Abs("../..")
	must(t, err)
	return machine{dir, root, t.TempDir()}
}
