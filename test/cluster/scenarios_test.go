package cluster

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// TestCluster runs the scenarios in order in one cluster: each begins with the state in which the
// previous one ended.
func TestCluster(t *testing.T) {
	m := start(t)
	crt, key := m.certificate(t, "first", "crosswalk."+namespace, 365)
	for _, s := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"install", func(t *testing.T) { m.install(t, crt, key) }},
		{"a second apply changes nothing", m.applyAgain},
		{"a module swapped through its ConfigMap", func(t *testing.T) { m.under(t, 0, func() { m.swap(t, "rust") }) }},
		{"a rollout", func(t *testing.T) {
			m.under(t, 0, func() { m.ks(t, "rollout", "restart", "deployment/crosswalk"); m.rolledOut(t) })
		}},
		{"a deleted pod", func(t *testing.T) {
			m.under(t, 0, func() { m.ks(t, "delete", "pod", m.pods(t)[0].Name); m.rolledOut(t) })
		}},
		{"a killed gateway", m.kill},
		{"a drained node", m.drain},
		{"another CA and certificate", m.renew},
		{"modules from an image volume", m.imageVolume},
		{"modules from an init container", m.initContainer},
		{"modules from a registry", m.sidecar},
		{"signed modules", m.signed},
		{"hostile modules", m.hostile},
		{"an operator's webhook retired", m.retire},
		{"the controller", m.controller},
		{"a definition replaced as by OLM", m.olm},
		{"a definition reset as by Crossplane", m.crossplane},
		{"a version retired beside GitOps engines", m.version},
		{"cert-manager", m.certManager},
	} {
		if !t.Run(strings.ReplaceAll(s.name, " ", "_"), s.run) && s.name == "install" {
			return
		}
	}
}

// files returns the files of the example CronTab in a language.
func (m machine) files(language string) []string {
	dir := filepath.Join(m.root, "bin/plugins", language)
	return []string{filepath.Join(dir, module), filepath.Join(dir, strings.TrimSuffix(module, ".wasm")+".yaml")}
}

// install follows the README of the chart, into a namespace that admits restricted pods only.
func (m machine) install(t *testing.T, crt, key string) {
	if strings.Contains(m.kubectl(t, "get", "namespaces", "-o", "name"), namespace) {
		t.Skip("the gateway is installed: an earlier run kept the cluster")
	}
	began := time.Now()
	m.kubectl(t, "create", "namespace", namespace)
	m.kubectl(t, "label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
	m.ks(t, "create", "secret", "tls", "crosswalk-tls", "--cert", crt, "--key", key)
	m.modules(t, "crosswalk-modules", m.files("c")...)
	m.helm(t)
	t.Logf("the gateway is ready after %v", time.Since(began).Round(time.Millisecond))
	m.kubectl(t, "apply", "-f", "deploy/examples/crd.yaml")
	t.Log(m.output(t, nil, filepath.Join(m.dir, "bin/crosswalk"), "attach", "crontabs.stable.example.com"))
	m.kubectl(t, "wait", "--for=condition=Established", "crd/crontabs.stable.example.com")
	object := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"first"},"spec":{"cronSpec":"30 2 * * 1-5"}}`
	kubectl := filepath.Join(m.dir, "bin/kubectl")
	eventually.True(t, "converted", func() bool { // a new definition takes API servers a second or two
		return strings.Contains(m.output(t, []byte(object), "sh", "-c", kubectl+" apply -f - >&2 && "+kubectl+" get crontabs.v2.stable.example.com first -o json || true"), `"dayOfWeek": "1-5"`)
	})
	t.Logf("the first object is converted after %v", time.Since(began).Round(time.Millisecond))
	if pods := m.pods(t); len(pods) != 2 || pods[0].Node == pods[1].Node {
		t.Errorf("the pods are %+v", pods)
	}
}

// applyAgain upgrades the release with the same values, and applies the kustomization twice to a
// namespace of its own.
func (m machine) applyAgain(t *testing.T) {
	const kinds = "deployment,poddisruptionbudget,networkpolicy"
	generations := func(namespace string) string {
		return m.kubectl(t, "-n", namespace, "get", kinds, "-o", `jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.generation}{"\n"}{end}`)
	}
	m.helm(t) // an earlier run may have left other values
	first := generations(namespace)
	m.helm(t)
	if second := generations(namespace); second != first || strings.Count(first, "\n") != 3 {
		t.Errorf("helm upgrade changed\n%sto\n%s", first, second)
	}
	const other = "crosswalk-again"
	manifests := strings.ReplaceAll(m.kubectl(t, "kustomize", "deploy/base"), namespace, other)
	apply := func() string {
		return m.output(t, []byte(manifests), filepath.Join(m.dir, "bin/kubectl"), "apply", "-f", "-")
	}
	apply()
	defer m.kubectl(t, "delete", "namespace", other, "--wait=false")
	before := generations(other)
	answer := apply()
	if after := generations(other); after != before {
		t.Errorf("a second kubectl apply changed\n%sto\n%s", before, after)
	}
	for line := range strings.Lines(answer) {
		// Client-side apply always sends the selector of a PodDisruptionBudget.
		if !strings.HasSuffix(line, "unchanged\n") && !strings.HasPrefix(line, "poddisruptionbudget") {
			t.Errorf("a second kubectl apply: %s", line)
		}
	}
}

// entry is a file of the module directory, on /modules.
type entry struct{ File, State, Digest, SignedBy, LastError string }

// entries returns all entries of /modules of a pod.
func (m machine) entries(t *testing.T, p pod) (entries []entry) {
	t.Helper()
	c := http.Client{Timeout: 10 * time.Second}
	response, err := c.Get("http://" + p.IP + ":8080/modules")
	must(t, err)
	defer response.Body.Close()
	must(t, json.NewDecoder(response.Body).Decode(&entries))
	return entries
}

// page returns the entry of the module.
func (m machine) page(t *testing.T, p pod) entry {
	t.Helper()
	for _, e := range m.entries(t, p) {
		if e.File == module {
			return e
		}
	}
	return entry{}
}

// serves reports whether each of two pods serves a module.
func (m machine) serves(t *testing.T, file string) bool {
	t.Helper()
	want := strings.Fields(m.output(t, nil, "sha256sum", file))[0]
	pods := m.pods(t)
	for _, p := range pods {
		if e := m.page(t, p); e.Digest != want || e.State != "serving" {
			return false
		}
	}
	return len(pods) == 2
}

// swap replaces the module in the ConfigMap by the one in another language.
func (m machine) swap(t *testing.T, language string) {
	t.Helper()
	files := m.files(language)
	m.modules(t, "crosswalk-modules", files...)
	began := time.Now()
	eventually.True(t, "swapped on both pods", func() bool { return m.serves(t, files[0]) })
	t.Logf("both pods serve it after %v", time.Since(began).Round(time.Second))
}

// rolledOut waits until two pods are ready.
func (m machine) rolledOut(t *testing.T) {
	t.Helper()
	m.ks(t, "rollout", "status", "deployment/crosswalk", "--timeout=5m")
	eventually.True(t, "two ready pods", func() bool { return len(m.pods(t)) == 2 })
}

// kill ends a gateway as the kernel does when memory runs out. Requests in flight on it fail, and
// those that API servers send to it before the Service leaves it out.
func (m machine) kill(t *testing.T) {
	m.under(t, 4*clients, func() {
		p := m.pods(t)[0]
		pid := m.process(t, p.UID, "/gateway\x00--modules")
		m.output(t, nil, "kill", "-9", pid)
		eventually.True(t, "restarted", func() bool {
			return m.ks(t, "get", "pod", p.Name, "-o", "jsonpath={.status.containerStatuses[0].restartCount}") == "1"
		})
		m.rolledOut(t)
	})
}

// process returns the identifier, on this machine, of a pod's process whose arguments begin with a
// text.
func (m machine) process(t *testing.T, pod, begin string) string {
	t.Helper()
	groups, err := filepath.Glob("/proc/[0-9]*/cgroup")
	must(t, err)
	for _, file := range groups {
		text, _ := os.ReadFile(file)
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		if strings.Contains(string(text), pod) && strings.HasPrefix(string(command), begin) {
			return filepath.Base(filepath.Dir(file))
		}
	}
	t.Fatalf("pod %s has no process %q", pod, begin)
	return ""
}

// drain empties the second node, and then lets it have pods again.
func (m machine) drain(t *testing.T) {
	m.under(t, 0, func() {
		m.kubectl(t, "drain", "node2", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=3m")
		m.rolledOut(t)
		m.kubectl(t, "uncordon", "node2")
	})
	m.ks(t, "rollout", "restart", "deployment/crosswalk")
	m.rolledOut(t)
}

// renew replaces the certificate by one that another CA signed: both CAs into the caBundle, the
// certificate, the old CA out.
func (m machine) renew(t *testing.T) {
	old := filepath.Join(m.work, "old.crt")
	must(t, os.WriteFile(old, []byte(m.output(t, nil, "sh", "-c", filepath.Join(m.dir, "bin/kubectl")+" -n "+namespace+` get secret crosswalk-tls -o jsonpath='{.data.tls\.crt}' | base64 -d`)), 0o600))
	crt, key := m.certificate(t, "second", "crosswalk."+namespace, 365)
	m.under(t, 0, func() {
		m.trust(t, old, crt)
		time.Sleep(5 * time.Second) // API servers notice a changed definition within a second
		secret := m.ks(t, "create", "secret", "tls", "crosswalk-tls", "--cert", crt, "--key", key, "--dry-run=client", "-o", "yaml")
		m.apply(t, secret)
		m.synced(t)
		want, err := os.ReadFile(crt)
		must(t, err)
		m.serveCertificate(t, "served by both pods", func(pem string) bool { return pem == string(want) })
		m.trust(t, crt)
		time.Sleep(5 * time.Second)
	})
}

// imageVolume delivers the module in C in an image that crosswalk push made.
func (m machine) imageVolume(t *testing.T) {
	files := m.files("c")
	pushed := m.push(t, "10.250.0.1:5000/crosswalk/volume:v1", files)
	_, repository, _ := strings.Cut(pushed, "/") // nodes know the registry by its name
	m.deliver(t, files, "modules.source=image", "modules.image.reference=registry.example.com/"+repository)
}

// initContainer delivers the module in C in an image that also has a program to copy it.
func (m machine) initContainer(t *testing.T) {
	files := m.files("c")
	m.output(t, nil, "test/cluster/images.sh", append([]string{"modules", "crosswalk/modules"}, files...)...)
	m.deliver(t, files, "modules.source=initContainer", "modules.initContainer.image=registry.example.com/crosswalk/modules@"+m.digest(t, "crosswalk/modules"))
}

// deliver upgrades to values that deliver files.
func (m machine) deliver(t *testing.T, files []string, values ...string) {
	m.under(t, 0, func() {
		m.helm(t, values...)
		m.rolledOut(t)
	})
	if !m.serves(t, files[0]) {
		t.Error("the pods do not serve the image's module")
	}
}

// signed installs a signed release, and then a file that was not signed.
func (m machine) signed(t *testing.T) {
	dir := filepath.Join(m.work, "release")
	must(t, os.Mkdir(dir, 0o755))
	for _, f := range m.files("rust") {
		m.output(t, nil, "cp", f, dir)
	}
	m.output(t, nil, "sh", "-c", "cd "+dir+` && openssl genpkey -algorithm ed25519 -out ../release.pem && openssl pkey -in ../release.pem -pubout -out ../release.pub &&
		sha256sum *.wasm* *.yaml > SHA256SUMS && openssl pkeyutl -sign -rawin -inkey ../release.pem -in SHA256SUMS -out SHA256SUMS.sig`)
	release, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	m.ks(t, "create", "configmap", "crosswalk-verify-key", "--from-file="+filepath.Join(m.work, "release.pub"))
	m.under(t, 0, func() {
		m.modules(t, "crosswalk-modules", release...)
		m.helm(t, "modules.source=configMap", "signedModules.keyConfigMap=crosswalk-verify-key")
		m.rolledOut(t)
		eventually.True(t, "serving the release", func() bool { return m.serves(t, filepath.Join(dir, module)) })
		for _, p := range m.pods(t) {
			if e := m.page(t, p); e.SignedBy == "" {
				t.Errorf("pod %s serves %+v", p.Name, e)
			}
		}
		m.output(t, nil, "cp", m.files("c")[0], dir)
		m.modules(t, "crosswalk-modules", release...)
		eventually.True(t, "refused by both pods", func() bool {
			for _, p := range m.pods(t) {
				if e := m.page(t, p); !strings.Contains(e.LastError, "SHA256SUMS has sha256") || e.State != "serving" {
					return false
				}
			}
			return true
		})
	})
}
