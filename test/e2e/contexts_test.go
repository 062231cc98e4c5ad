package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// TestContexts runs the commands that take several contexts against two API servers, and a third
// that cannot be reached.
func TestContexts(t *testing.T) {
	crd, _, _ := detached(t, "v1", "v2")
	second := openCRD(puppetGroup, "Puppet", "v1", "v2")
	installPlain(t, shared.server, second)
	create(t, shared.server.Resource(second, "v1"), puppet("v1", "other", ""))
	create(t, shared.server.Resource(second, "v1"), puppet("v1", "lossy", script('0', `{"spec":{}}`)))
	config := kubeconfig(t)
	dir := modules(t, map[string][]byte{puppetFile: guest(t, "puppet")})
	file := filepath.Join(dir, puppetFile)
	both, all := []string{"--kubeconfig", config, "--context", "test", "--context", "second"}, []string{"--kubeconfig", config, "--contexts", "*"}
	for _, step := range []struct {
		args  []string
		flags []string
		code  int
		want  []string
	}{
		{[]string{"status"}, both, 0, []string{"CONTEXT   NAME", "test      " + crd.Name, "second    " + crd.Name}},
		{[]string{"status", crd.Name}, all, 2, []string{"CONTEXT   NAME", "test      " + crd.Name, "second    " + crd.Name, "none      -", "unknown", "context none: ", "connection refused"}},
		{[]string{"status", "-o", "json"}, all, 2, []string{`"context": "none",` + "\n    \"error\": ", `"context": "second",` + "\n    \"name\": \"" + crd.Name}},
		{[]string{"plan", crd.Name}, both, 1, []string{"CONTEXT   STEP   STATE", "test      1      ", "second    1      "}},
		{[]string{"plan", "-o", "json", crd.Name}, all, 2, []string{`"context": "none",` + "\n    \"error\": ", `"context": "test",` + "\n    \"definition\": "}},
		{[]string{"plan", "nothing.example.com"}, both, 2, []string{"context test: ", "context second: "}},
		{[]string{"test", "--live", crd.Name, file}, both, 1, []string{"test  " + puppetFile + "\n  ok ", "second  " + puppetFile + "\n  FAIL", "1 object\n"}},
		{[]string{"test", "--live", crd.Name, "-o", "junit", file}, all, 2, []string{`testsuite name="test  ` + puppetFile, `testsuite name="second  ` + puppetFile, `testsuite name="none" tests="1" failures="1"`}},
		{[]string{"diff", "--live", crd.Name, file, file}, both, 0, []string{"test  Puppet." + puppetGroup + " v1→v2: 0 of 1 ", "second  Puppet." + puppetGroup + " v1→v2: 0 of 2 "}},
		{[]string{"diff", "--live", crd.Name, file, file}, all, 2, []string{"test  Puppet", "second  Puppet", "context none: "}},
		{[]string{"retire", crd.Name, "v1"}, both, 2, []string{"the command works on one cluster: name one context"}},
		{[]string{"status"}, []string{"--kubeconfig", config, "--contexts", "prod-*"}, 2, []string{`--contexts: the kubeconfig has no context that "prod-*" matches`}},
		{[]string{"status"}, []string{"--kubeconfig", config, "--contexts", "["}, 2, []string{`--contexts: "[" is not a pattern`}},
	} {
		code, output := tool(t, append(append([]string{}, step.args...), step.flags...)...)
		if code != step.code {
			t.Errorf("%q ended with %d, want %d", step.args, code, step.code)
		}
		for _, want := range step.want {
			if !strings.Contains(output, want) {
				t.Errorf("%q does not say %q", step.args, want)
			}
		}
	}
}

// TestPlanOfContextsReportsProgress: the first list takes longer than the time between two lines of progress, and each
// line names its context.
func TestPlanOfContextsReportsProgress(t *testing.T) {
	crd, _, _ := detached(t, "v1", "v2")
	target, err := url.Parse(shared.uncached.REST.Host)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(shared.uncached.REST)
	if err != nil {
		t.Fatal(err)
	}
	config, file := api.NewConfig(), filepath.Join(t.TempDir(), "kubeconfig")
	for _, name := range []string{"east", "west"} {
		var first sync.Once
		slow := httptest.NewServer(&httputil.ReverseProxy{
			Transport: transport,
			Rewrite: func(r *httputil.ProxyRequest) {
				if r.In.Method == http.MethodGet && path.Base(r.In.URL.Path) == crd.Spec.Names.Plural {
					first.Do(func() { time.Sleep(11 * time.Second) }) // there is a line at most every ten
				}
				r.SetURL(target)
			},
		})
		t.Cleanup(slow.Close)
		config.Clusters[name] = &api.Cluster{Server: slow.URL}
		config.Contexts[name] = &api.Context{Cluster: name}
	}
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	code, output := tool(t, "plan", crd.Name, "--kubeconfig", file, "--contexts", "*")
	if code != 1 {
		t.Errorf("plan ended with %d", code)
	}
	for _, want := range []string{"\neast: managedFields of 1 object read\n", "west: managedFields of 1 object read\n", "CONTEXT   STEP   STATE"} {
		if !strings.Contains("\n"+output, want) {
			t.Errorf("the output does not contain %q", want)
		}
	}
}
