package lifecycle

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// TestRetireBehindBalancer retires a version while two API servers answer in turns. It stops at clients of
// the version, and no client notices.
func TestRetireBehindBalancer(t *testing.T) {
	l := begin(t)
	second, err := l.plane.Second(deadline(t))
	must(t, err)
	both := inTurns(t, l.plane.Admin.Host, second.Host)
	config := rest.CopyConfig(l.plane.Admin)
	config.Host = both
	l.objects, err = dynamic.NewForConfig(config)
	must(t, err)
	l.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	must(t, clientcmd.WriteToFile(kubeconfigOf(both, config.BearerToken), l.kubeconfig))
	for i := range objects {
		l.create(t, cronTab(i))
	}
	l.attach(t)
	l.serve(t)
	time.Sleep(3 * time.Second) // until both API servers serve v2
	load := newLoad(t)
	load.add("v1", l.at("v1"), "old", "old!")
	load.add("v2", l.at("v2"), "new", "new!")
	load.run(2 * time.Second)

	l.finds(t, "retire", l.name, "v1", "--yes", "--idle", "1h", "--rate", "500")
	if now := l.definitions.get(t, l.name); len(now.Spec.Versions) != 2 || !now.Spec.Versions[0].Served {
		t.Errorf("the definition is %+v", now.Spec.Versions)
	}
	load.run(2 * time.Second)
	load.remove("v1")
	load.add("moved", l.at("v2"), "old", "old!")
	load.run(time.Second)
	if output := l.crosswalk(t, "retire", l.name, "v1", "--yes", "--idle", "0s"); !strings.Contains(output, "8  DONE     remove v1") {
		t.Error("v1 was not removed")
	}
	load.run(3 * time.Second)
	requests, failed := load.stop()
	t.Logf("%d requests, %d failed", requests, len(failed))
	for _, f := range failed[:min(len(failed), 10)] {
		t.Error(f)
	}
}

// kubeconfigOf returns the kubeconfig of a user with a token for a server.
func kubeconfigOf(server, token string) api.Config {
	return api.Config{
		Clusters:       map[string]*api.Cluster{"test": {Server: server, InsecureSkipTLSVerify: true}},
		AuthInfos:      map[string]*api.AuthInfo{"test": {Token: token}},
		Contexts:       map[string]*api.Context{"test": {Cluster: "test", AuthInfo: "test"}},
		CurrentContext: "test",
	}
}

// inTurns returns the address of a server that sends each request to the next of some API servers.
func inTurns(t *testing.T, hosts ...string) string {
	t.Helper()
	var urls []*url.URL
	for _, host := range hosts {
		u, err := url.Parse(host)
		must(t, err)
		urls = append(urls, u)
	}
	var n atomic.Uint64
	server := httptest.NewTLSServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(urls[n.Add(1)%uint64(len(urls))]) },
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, //nolint:gosec // the API servers make their own certificates
	})
	t.Cleanup(server.Close)
	return server.URL
}
