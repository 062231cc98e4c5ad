package e2e

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// front returns a kubeconfig for a proxy in front of the API server, which calls do before the first
// request that matches.
func front(t *testing.T, match func(*http.Request) bool, do func()) (config string) {
	t.Helper()
	proxy := proxyTo(t, shared.uncached.REST)
	var first sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if match(r) {
			first.Do(do)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return kubeconfigFor(t, server.URL)
}

// proxyTo returns a proxy with a client's rights at an API server.
func proxyTo(t *testing.T, client *rest.Config) http.Handler {
	t.Helper()
	target, err := url.Parse(client.Host)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(client)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, ErrorLog: log.New(io.Discard, "", 0)}
}

// kubeconfigFor returns a kubeconfig whose context test leads to a proxy.
func kubeconfigFor(t *testing.T, url string) (config string) {
	t.Helper()
	all := api.NewConfig()
	all.Clusters["test"], all.Contexts["test"] = &api.Cluster{Server: url}, &api.Context{Cluster: "test"}
	config = filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*all, config); err != nil {
		t.Fatal(err)
	}
	return config
}

// secondPage matches the request for the second page of a list.
func secondPage(r *http.Request) bool { return r.URL.Query().Get("continue") != "" }

// manyPuppets stores two pages of objects.
func manyPuppets(t *testing.T, crd *apiextensions.CustomResourceDefinition) {
	t.Helper()
	for i := range 130 {
		create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", fmt.Sprintf("many-%d", i), ""))
	}
}

// TestLiveDeletedMeanwhile: somebody deletes a definition, or deletes it and creates it again, while
// commands read its objects. No command takes the objects read so far for all.
func TestLiveDeletedMeanwhile(t *testing.T) {
	for _, again := range []bool{false, true} {
		for _, command := range []string{"test", "diff"} {
			crd, _, _ := detached(t, "v1", "v2")
			manyPuppets(t, crd)
			dir := modules(t, map[string][]byte{puppetFile: guest(t, "puppet")})
			config := front(t, secondPage, func() {
				if err := shared.uncached.Remove(deadline(t), crd); err != nil {
					t.Error(err)
				}
				if again {
					crd := crd.DeepCopy()
					crd.ResourceVersion, crd.UID = "", types.UID("")
					if err := shared.uncached.Install(deadline(t), crd); err != nil {
						t.Error(err)
					}
				}
			})
			args := map[string][]string{"test": {"test", "--live", crd.Name, dir}, "diff": {"diff", "--live", crd.Name, dir, dir}}[command]
			code, output := crosswalk(t, config, args...)
			want := crd.Name + map[bool]string{false: " was deleted meanwhile\n", true: " was deleted and created again meanwhile\n"}[again]
			if code != 2 || !strings.HasSuffix(output, want) {
				t.Errorf("%s ended with %d, want %q", command, code, want)
			}
			if err := shared.uncached.Remove(deadline(t), crd); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestInterruptedCommands: the user ends each command in the middle of its work. It says so, and how far it
// came if it wrote something; another run of the same command goes on.
func TestInterruptedCommands(t *testing.T) {
	crd, p, _ := detached(t, "v1", "v2")
	manyPuppets(t, crd)
	dir := modules(t, map[string][]byte{puppetFile: guest(t, "puppet")})
	ca := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(ca, p.CA, 0o600); err != nil {
		t.Fatal(err)
	}
	// after matches the first request of a method behind a number of others.
	after := func(n int, method string, then func(*http.Request) bool) func(*http.Request) bool {
		var mu sync.Mutex
		return func(r *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			if r.Method == method {
				n--
			}
			return n < 0 && then(r)
		}
	}
	objects := func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/"+puppetGroup+"/") }
	read := func(r *http.Request) bool { return r.Method == http.MethodGet && objects(r) }
	for _, step := range []struct {
		args  []string
		match func(*http.Request) bool
		want  string
		again int // the exit code of another run
	}{
		{[]string{"test", "--live", crd.Name, dir}, secondPage, "crosswalk test: interrupted\n", 0},
		{[]string{"diff", "--live", crd.Name, dir, dir}, secondPage, "crosswalk diff: interrupted\n", 0},
		{[]string{"attach", "--url", p.URL(), "--ca-file", ca, crd.Name}, after(0, http.MethodPatch, read),
			"crosswalk attach: interrupted; spec.conversion was written, and no object was read with it yet; run the command again\n", 0},
		{[]string{"plan", crd.Name}, secondPage, "crosswalk plan: interrupted\n", 0},
		{[]string{"retire", "--yes", "--idle", "0s", crd.Name, "v1"}, after(3, http.MethodPatch, objects),
			"run the command again to go on\n", 0},
	} {
		if code, output := interrupted(t, step.match, step.args...); code != 130 || !strings.HasSuffix(output, step.want) {
			t.Errorf("%q ended with %d, want %q", step.args, code, step.want)
		}
		if code, _ := crosswalk(t, kubeconfig(t), step.args...); code != step.again {
			t.Errorf("another run of %q ended with %d", step.args, code)
		}
	}
	if now := definition(t, crd.Name); len(now.Spec.Versions) != 1 {
		t.Errorf("the definition is\n%s", show(now.Spec))
	}
}

// interrupted runs the tool, and interrupts it at a request.
func interrupted(t *testing.T, at func(*http.Request) bool, args ...string) (code int, output string) {
	t.Helper()
	binary, err := shared.tool()
	if err != nil {
		t.Fatal(err)
	}
	started, ended := make(chan *os.Process, 1), make(chan struct{})
	config := front(t, at, func() {
		if err := (<-started).Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		<-ended // no request goes on meanwhile
	})
	cmd := exec.CommandContext(deadline(t), binary, append(args, "--kubeconfig", config, "--context", "test")...)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started <- cmd.Process
	err = cmd.Wait()
	close(ended)
	if code := (*exec.ExitError)(nil); err != nil && !errors.As(err, &code) {
		t.Fatal(err)
	}
	t.Logf("crosswalk %s\n%s", strings.Join(args, " "), said.String())
	return cmd.ProcessState.ExitCode(), said.String()
}
