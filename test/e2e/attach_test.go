package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
)

// detached installs the kind Puppet without a conversion, with one object stored at the first
// version, and starts a gateway.
func detached(t *testing.T, versions ...string) (*apiextensions.CustomResourceDefinition, *gateway.Process, *attach.Cluster) {
	t.Helper()
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}))
	crd := openCRD(puppetGroup, "Puppet", versions...)
	installPlain(t, shared.uncached, crd)
	create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", "one", ""))
	cluster, err := attach.NewCluster(shared.uncached.REST)
	if err != nil {
		t.Fatal(err)
	}
	return crd, p, cluster
}

func find(t *testing.T, c *attach.Cluster, name string) *attach.Target {
	t.Helper()
	target, err := c.Find(deadline(t), name)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// definition reads a CRD as it is now.
func definition(t *testing.T, name string) *apiextensions.CustomResourceDefinition {
	t.Helper()
	crd, err := shared.uncached.CRDs.ApiextensionsV1().CustomResourceDefinitions().Get(deadline(t), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

func TestAttachAndDetach(t *testing.T) {
	crd, p, cluster := detached(t, "v1", "v2")
	g := attach.Gateway{URL: p.URL(), CA: p.CA}

	outcome, err := cluster.Attach(deadline(t), find(t, cluster, "Puppet."+puppetGroup), g, true)
	if err != nil || outcome.Action != attach.ActionWould {
		t.Fatalf("a dry run: %q, %v", outcome.Action, err)
	}
	if now := definition(t, crd.Name); now.Spec.Conversion.Strategy != apiextensions.NoneConverter {
		t.Fatal("a dry run changed the stanza")
	}

	outcome, err = cluster.Attach(deadline(t), find(t, cluster, crd.Name), g, false)
	if err != nil || outcome.Action != attach.ActionAttached {
		t.Fatalf("attaching: %q, %v\n%s", outcome.Action, err, show(outcome.Checks))
	}
	now := definition(t, crd.Name)
	same(t, "the stanza", now.Spec.Conversion, g.Stanza())
	same(t, "the fields of the manager", owned(now), map[string]any{"f:spec": map[string]any{"f:conversion": map[string]any{
		"f:strategy": map[string]any{},
		"f:webhook": map[string]any{
			"f:clientConfig":             map[string]any{"f:caBundle": map[string]any{}, "f:url": map[string]any{}},
			"f:conversionReviewVersions": map[string]any{},
		},
	}}})
	before := metric(t, p, "crosswalk_reviews_total")
	get(t, shared.uncached.Resource(crd, "v2"), "one")
	if metric(t, p, "crosswalk_reviews_total") == before {
		t.Error("the gateway did not convert the object")
	}

	outcome, err = cluster.Attach(deadline(t), find(t, cluster, crd.Name), g, false)
	if err != nil || outcome.Action != attach.ActionNone {
		t.Errorf("attaching again: %q, %v", outcome.Action, err)
	}
	if again := definition(t, crd.Name); again.ResourceVersion != now.ResourceVersion {
		t.Error("attaching again changed the definition")
	}

	_, err = cluster.Detach(deadline(t), find(t, cluster, crd.Name), false)
	if err == nil || !strings.Contains(err.Error(), "uses the versions v1, v2") {
		t.Errorf("detaching with two served versions: %v", err)
	}
	if err := shared.uncached.Update(deadline(t), crd.Name, func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Versions[1].Served = false }); err != nil {
		t.Fatal(err)
	}
	outcome, err = cluster.Detach(deadline(t), find(t, cluster, crd.Name), false)
	if err != nil || outcome.Action != attach.ActionDetached {
		t.Fatalf("detaching: %q, %v", outcome.Action, err)
	}
	now = definition(t, crd.Name)
	same(t, "the stanza", now.Spec.Conversion, &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter})
	same(t, "the fields of the manager", owned(now), nil)
}

// owned returns the fields that the field manager owns.
func owned(crd *apiextensions.CustomResourceDefinition) any {
	for _, entry := range crd.ManagedFields {
		if entry.Manager == attach.Manager {
			var fields any
			if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
				return err.Error()
			}
			return fields
		}
	}
	return nil
}

// TestAttachRefuses asserts that nothing is written when a step of the way fails, and that the
// error names the step.
func TestAttachRefuses(t *testing.T) {
	crd, p, cluster := detached(t, "v1", "v2", "v3")
	authority, err := certs.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := httptest.NewUnstartedServer(http.NotFoundHandler())
	elsewhere.TLS = serving(t, "other.example.com")
	elsewhere.StartTLS()
	defer elsewhere.Close()
	notServed := func(name string) func(*apiextensions.CustomResourceDefinition) {
		return func(crd *apiextensions.CustomResourceDefinition) {
			for i := range crd.Spec.Versions {
				if crd.Spec.Versions[i].Name == name {
					crd.Spec.Versions[i].Served = false
				}
			}
		}
	}
	for _, test := range []struct {
		name   string
		g      attach.Gateway
		change func(*apiextensions.CustomResourceDefinition)
		want   string
	}{
		{"a served version without a module", attach.Gateway{URL: p.URL(), CA: p.CA}, nil, "no module converts Puppet.puppet.example.com from v1 to v3"},
		{"a stored version without a module", attach.Gateway{URL: p.URL(), CA: p.CA}, func(crd *apiextensions.CustomResourceDefinition) {
			notServed("v3")(crd)
			crd.Status.StoredVersions = []string{"v1", "v3"}
		}, "no module converts Puppet.puppet.example.com from v1 to v3"},
		{"another CA", attach.Gateway{URL: p.URL(), CA: authority.PEM}, notServed("v3"), "no certificate of caBundle signed the gateway's"},
		{"no CA", attach.Gateway{URL: p.URL(), CA: []byte("none")}, notServed("v3"), "it contains no certificate in PEM"},
		{"another name", attach.Gateway{URL: elsewhere.URL + "/convert", CA: p.CA}, notServed("v3"), "the certificate is not valid for 127.0.0.1: it has other.example.com"},
		{"the admin port", attach.Gateway{URL: "https://" + p.Admin + "/convert", CA: p.CA}, notServed("v3"), "the server does not speak TLS"},
		{"no server", attach.Gateway{URL: "https://127.0.0.1:1/convert", CA: p.CA}, notServed("v3"), "connection refused"},
		{"no such host", attach.Gateway{URL: "https://gateway.invalid/convert", CA: p.CA}, notServed("v3"), "no such host"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.change != nil {
				status := definition(t, crd.Name)
				test.change(status)
				if _, err := shared.uncached.CRDs.ApiextensionsV1().CustomResourceDefinitions().UpdateStatus(deadline(t), status, metav1.UpdateOptions{}); err != nil {
					t.Fatal(err)
				}
				if err := shared.uncached.Update(deadline(t), crd.Name, test.change); err != nil {
					t.Fatal(err)
				}
			}
			before := definition(t, crd.Name)
			outcome, err := cluster.Attach(deadline(t), find(t, cluster, crd.Name), test.g, false)
			if err == nil || !strings.Contains(err.Error(), test.want) || outcome.Action != attach.ActionRefused {
				t.Errorf("%q, %v, want %q\n%s", outcome.Action, err, test.want, show(outcome.Checks))
			}
			t.Log(err)
			if now := definition(t, crd.Name); now.ResourceVersion != before.ResourceVersion {
				t.Error("the definition was changed")
			}
		})
	}
}

// TestAttachRollsBack asserts that the previous stanza is put back if the API server cannot reach a
// gateway that the test could.
func TestAttachRollsBack(t *testing.T) {
	crd, p, cluster := detached(t, "v1", "v2")
	target, err := url.Parse(p.URL())
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.CA)
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host}) },
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}},
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.UserAgent() != "crosswalk" {
			http.Error(w, "closed to API servers", http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	server.TLS = serving(t, "127.0.0.1")
	server.StartTLS()
	defer server.Close()

	outcome, err := cluster.Attach(deadline(t), find(t, cluster, crd.Name), attach.Gateway{URL: server.URL + "/convert", CA: shared.authority.PEM}, false)
	if err == nil || !strings.Contains(err.Error(), "closed to API servers") || outcome.Action != attach.ActionRolledBack {
		t.Errorf("%q, %v\n%s", outcome.Action, err, show(outcome.Checks))
	}
	if now := definition(t, crd.Name); now.Spec.Conversion.Strategy != apiextensions.NoneConverter || now.Spec.Conversion.Webhook != nil {
		t.Errorf("the stanza is\n%s", show(now.Spec.Conversion))
	}
}

// serving returns the TLS configuration of a server with a certificate for a name.
func serving(t *testing.T, name string) *tls.Config {
	t.Helper()
	certificate, key, err := shared.authority.Issue(name)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}}
}

// kubeconfig writes a kubeconfig for the API server without a watch cache.
func kubeconfig(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	all := api.Config{
		Clusters: map[string]*api.Cluster{"none": {Server: "https://127.0.0.1:1"}}, AuthInfos: map[string]*api.AuthInfo{},
		Contexts:       map[string]*api.Context{"none": {Cluster: "none"}},
		CurrentContext: "none",
	}
	for name, config := range map[string]*rest.Config{"test": shared.uncached.REST, "second": shared.server.REST} {
		all.Clusters[name] = &api.Cluster{
			Server: config.Host, CertificateAuthorityData: config.CAData, CertificateAuthority: config.CAFile, TLSServerName: config.ServerName, InsecureSkipTLSVerify: config.Insecure,
		}
		all.AuthInfos[name] = &api.AuthInfo{
			Token: config.BearerToken, ClientCertificateData: config.CertData, ClientKeyData: config.KeyData, ClientCertificate: config.CertFile, ClientKey: config.KeyFile,
		}
		all.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	}
	err := clientcmd.WriteToFile(all, file)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// crosswalk runs the tool with the flags for the API server, and returns its exit code and output.
func crosswalk(t *testing.T, config string, args ...string) (code int, output string) {
	t.Helper()
	return tool(t, append(args, "--kubeconfig", config, "--context", "test")...)
}

// tool runs the tool, and returns its exit code and output.
func tool(t *testing.T, args ...string) (code int, output string) {
	t.Helper()
	binary, err := shared.tool()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(deadline(t), binary, args...)
	text, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	t.Logf("crosswalk %s\n%s", strings.Join(args, " "), text)
	return cmd.ProcessState.ExitCode(), string(text)
}

// TestAttachCommand runs the commands for a cluster as a user does.
func TestAttachCommand(t *testing.T) {
	crd, p, _ := detached(t, "v1", "v2")
	config := kubeconfig(t)
	ca := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(ca, p.CA, 0o600); err != nil {
		t.Fatal(err)
	}
	at := []string{"--url", p.URL(), "--ca-file", ca}
	for _, step := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"explain", crd.Name}, 1, []string{"FAIL   stanza", "remedy: crosswalk attach puppets.puppet.example.com"}},
		{[]string{"status"}, 0, []string{"puppets.puppet.example.com   unconverted   v1,v2    v1"}},
		{append([]string{"attach", "--dry-run", "Puppet." + puppetGroup}, at...), 0, []string{"would change", "spec.conversion was None and is " + p.URL()}},
		{[]string{"status", crd.Name}, 0, []string{"unconverted"}},
		{append([]string{"attach", crd.Name}, at...), 0, []string{"v1→v2, v2→v1; 1 stored object there and back", "ok     attached", "read Puppet.puppet.example.com default/one at v1, v2", " 0 failed"}},
		{append([]string{"status", crd.Name}, at...), 0, []string{"attached"}},
		{[]string{"status"}, 0, []string{"puppets.puppet.example.com   attached"}},
		{[]string{"status", "--url", "https://other.example.org"}, 0, []string{"puppets.puppet.example.com   other"}},
		{[]string{"explain", crd.Name}, 0, []string{" 0 failed"}},
		{[]string{"detach", crd.Name}, 1, []string{"refused", "served v1, v2; stored v1"}},
		{[]string{"attach", "nothing.example.com", "--url", p.URL()}, 2, []string{"kubectl get crds lists all"}},
		{[]string{"attach", crd.Name, "--url", "http://example.com"}, 2, []string{"--url must begin with https://"}},
	} {
		code, output := crosswalk(t, config, step.args...)
		if code != step.code {
			t.Errorf("crosswalk %s ended with %d, want %d", strings.Join(step.args, " "), code, step.code)
		}
		for _, want := range step.want {
			if !strings.Contains(output, want) {
				t.Errorf("the output of crosswalk %s does not contain %q", strings.Join(step.args, " "), want)
			}
		}
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if code, output := crosswalk(t, config, "explain", crd.Name); code != 1 || !strings.Contains(output, "connection refused") {
		t.Errorf("without a gateway, explain ended with %d", code)
	}
}

// TestAttachAfterPlaceholder: a definition is created with the line feed as caBundle that the examples
// have. No command says that it is converted, and attach puts the certificate there.
func TestAttachAfterPlaceholder(t *testing.T) {
	p, crd, config := pluginGateway(t, "c"), pluginCRD(t, "crontab"), kubeconfig(t)
	pluginModule(t, "c", crontabFile)
	url := p.URL()
	crd.Spec.Conversion.Webhook.ClientConfig = &apiextensions.WebhookClientConfig{URL: &url, CABundle: []byte("\n")}
	if _, err := shared.uncached.CRDs.ApiextensionsV1().CustomResourceDefinitions().Create(deadline(t), crd, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), within) // t.Context has ended
		defer cancel()
		if err := shared.uncached.Remove(ctx, crd); err != nil {
			t.Error(err)
		}
	})
	const invalid = "; caBundle: it contains no certificate in PEM"
	eventually.Succeeds(t, "the API server to see it", func() error {
		if _, output := crosswalk(t, config, "status", crd.Name); !strings.Contains(output, invalid) {
			return errors.New(output)
		}
		return nil
	})
	if code, output := crosswalk(t, config, "explain", crd.Name); code != 1 || !strings.Contains(output, "FAIL   caBundle\n         it contains no certificate in PEM") {
		t.Errorf("explain ended with %d", code)
	}
	ca := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(ca, shared.authority.PEM, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _ := crosswalk(t, config, "attach", crd.Name, "--url", p.URL(), "--ca-file", ca); code != 0 {
		t.Errorf("attach ended with %d", code)
	}
	eventually.Succeeds(t, "the API server to establish it", func() error {
		if _, output := crosswalk(t, config, "status", crd.Name); strings.Contains(output, "not established") || strings.Contains(output, "caBundle") || strings.Contains(output, "cannot be read") {
			return errors.New(output)
		}
		return nil
	})
}

// TestMigrateStorage asserts that every object is rewritten, and that an interrupted run goes on
// where it was, even if etcd has been compacted since.
func TestMigrateStorage(t *testing.T) {
	const objects = 1100 // more than two pages
	crd := storePuppets(t, objects)
	cluster := storeInV2(t, crd)
	stored := func() (n int) {
		for i := range objects {
			o, err := shared.uncached.Stored(deadline(t), crd, fmt.Sprintf("object-%d", i))
			if err != nil {
				t.Fatal(err)
			}
			if o.GetAPIVersion() == puppetGroup+"/v2" {
				n++
			}
		}
		return n
	}

	ctx, cancel := context.WithCancel(deadline(t))
	err := cluster.MigrateStorage(ctx, definition(t, crd.Name), attach.Migration{Rate: 1e6, Report: func(p attach.Progress) {
		if p.Done > 0 {
			cancel() // after the first page
		}
	}})
	var interrupted *attach.Interrupted
	if !errors.As(err, &interrupted) || interrupted.Continue == "" || interrupted.Done >= objects {
		t.Fatalf("interrupted after a page: %v", err)
	}
	if n := stored(); n == 0 || n == objects {
		t.Errorf("%d objects were rewritten by then", n)
	}
	same(t, "status.storedVersions of an interrupted run", definition(t, crd.Name).Status.StoredVersions, []string{"v1", "v2"})

	// The token is older than the history of etcd by then.
	if err := shared.uncached.Compact(deadline(t)); err != nil {
		t.Fatal(err)
	}
	done := 0
	again := attach.Migration{Rate: 1e6, Continue: interrupted.Continue, Report: func(p attach.Progress) { done = max(done, p.Done) }}
	if err := cluster.MigrateStorage(deadline(t), definition(t, crd.Name), again); err != nil {
		t.Fatal(err)
	}
	if n := stored(); n != objects {
		t.Errorf("%d of %d objects were rewritten", n, objects)
	}
	if done >= objects {
		t.Errorf("the second run rewrote %d objects, and should go on after the first page", done)
	}
	same(t, "status.storedVersions", definition(t, crd.Name).Status.StoredVersions, []string{"v2"})

	code, output := crosswalk(t, kubeconfig(t), "migrate-storage", crd.Name)
	if code != 0 || !strings.Contains(output, "all objects are stored in v2") {
		t.Errorf("a second migration ended with %d", code)
	}
}

// TestMigrateStorageFails asserts that objects which cannot be converted keep no others from being
// rewritten, are named, and keep the old version in status.storedVersions.
func TestMigrateStorageFails(t *testing.T) {
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}))
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2")
	install(t, shared.uncached, crd, p.URL(), p.CA)
	good := []string{"a", "c", "e"}
	for _, name := range good {
		create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", name, ""))
	}
	create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", "b-old", script('1', "not convertible")))
	err := shared.uncached.Update(deadline(t), crd.Name, func(crd *apiextensions.CustomResourceDefinition) {
		crd.Spec.Versions[0].Storage, crd.Spec.Versions[1].Storage = false, true
	})
	if err != nil {
		t.Fatal(err)
	}
	waitStored(t, crd, "v2")
	migrate := func(objects string) {
		t.Helper()
		code, output := crosswalk(t, kubeconfig(t), "migrate-storage", crd.Name)
		if code != 1 || !strings.Contains(output, objects+" objects rewritten") || !strings.Contains(output, "default/b-old: ") || !strings.Contains(output, "not convertible") {
			t.Errorf("the migration ended with %d", code)
		}
		same(t, "status.storedVersions", definition(t, crd.Name).Status.StoredVersions, []string{"v1", "v2"})
	}
	// With this one, a LIST of all fails at both versions.
	create(t, shared.uncached.Resource(crd, "v2"), puppet("v2", "d-new", script('1', "not convertible")))
	for _, version := range []string{"v1", "v2"} {
		if _, err := shared.uncached.Resource(crd, version).List(deadline(t), metav1.ListOptions{}); err == nil {
			t.Fatalf("the objects can be listed at %s", version)
		}
	}
	migrate("4")
	for _, name := range good {
		o, err := shared.uncached.Stored(deadline(t), crd, name)
		if err != nil {
			t.Fatal(err)
		}
		if o.GetAPIVersion() != puppetGroup+"/v2" {
			t.Errorf("%s is stored in %s", name, o.GetAPIVersion())
		}
	}
	// At the version in which it is stored, it can be deleted.
	if err := shared.uncached.Resource(crd, "v1").Delete(deadline(t), "b-old", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if code, _ := crosswalk(t, kubeconfig(t), "migrate-storage", crd.Name); code != 0 {
		t.Errorf("without the object, the migration ended with %d", code)
	}
	same(t, "status.storedVersions", definition(t, crd.Name).Status.StoredVersions, []string{"v2"})
}

// TestMigrateStorageGoesBackToFailures asserts that a run which goes on after an interruption does
// not go past an object that could not be rewritten before: it would remove the object's version
// from status.storedVersions.
func TestMigrateStorageGoesBackToFailures(t *testing.T) {
	const objects = 600 // more than a page
	crd := storePuppets(t, objects)
	create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", "a-bad", script('1', "not convertible"))) // on the first page
	cluster := storeInV2(t, crd)
	ctx, cancel := context.WithCancel(deadline(t))
	err := cluster.MigrateStorage(ctx, definition(t, crd.Name), attach.Migration{Rate: 1e6, Report: func(p attach.Progress) {
		if p.Done > 0 {
			cancel() // after the first page
		}
	}})
	var interrupted *attach.Interrupted
	if !errors.As(err, &interrupted) || interrupted.Done == 0 {
		t.Fatalf("interrupted after a page: %v", err)
	}
	again := attach.Migration{Rate: 1e6, Continue: interrupted.Continue}
	if err := cluster.MigrateStorage(deadline(t), definition(t, crd.Name), again); !errors.Is(err, attach.ErrObjects) || !strings.Contains(err.Error(), "default/a-bad: ") {
		t.Errorf("the second run ended with %v", err)
	}
	same(t, "status.storedVersions", definition(t, crd.Name).Status.StoredVersions, []string{"v1", "v2"})
	if err := shared.uncached.Resource(crd, "v1").Delete(deadline(t), "a-bad", metav1.DeleteOptions{}); err != nil { // or its definition would stay
		t.Error(err)
	}
}

// storePuppets installs a definition of puppets with a gateway, and stores so many of them in v1.
func storePuppets(t *testing.T, objects int) *apiextensions.CustomResourceDefinition {
	t.Helper()
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}))
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2")
	install(t, shared.uncached, crd, p.URL(), p.CA)
	first := create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", "object-0", ""))
	for i := 1; i < objects; i++ {
		o := first.DeepCopy()
		o.SetName(fmt.Sprintf("object-%d", i))
		o.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i)))
		if err := shared.uncached.Store(deadline(t), crd, o); err != nil {
			t.Fatal(err)
		}
	}
	return crd
}

// storeInV2 has the API server store new objects in v2, and returns it for the migration of the others.
func storeInV2(t *testing.T, crd *apiextensions.CustomResourceDefinition) *attach.Cluster {
	t.Helper()
	storeIn(t, crd, "v2")
	cluster, err := attach.NewCluster(shared.uncached.REST)
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

// waitStored waits until the API server stores new objects in a version.
func waitStored(t *testing.T, crd *apiextensions.CustomResourceDefinition, version string) {
	t.Helper()
	tries := 0
	eventually.Succeeds(t, "new objects at "+version, func() error {
		name := fmt.Sprintf("probe-%d", tries)
		tries++
		create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", name, ""))
		o, err := shared.uncached.Stored(deadline(t), crd, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := shared.uncached.Resource(crd, "v1").Delete(deadline(t), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if at := o.GetAPIVersion(); at != crd.Spec.Group+"/"+version {
			return fmt.Errorf("%s is stored at %s", name, at)
		}
		return nil
	})
}
