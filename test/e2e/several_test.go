package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
)

// inTurns returns a kubeconfig for a balancer that gives its connections to API servers in turns.
func inTurns(t *testing.T, servers ...*rest.Config) (config string) {
	t.Helper()
	type backend struct{}
	var proxies []http.Handler
	for _, s := range servers {
		proxies = append(proxies, proxyTo(t, s))
	}
	var turn atomic.Uint64
	balancer := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Context().Value(backend{}).(http.Handler).ServeHTTP(w, r)
	}))
	balancer.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, backend{}, proxies[(turn.Add(1)-1)%uint64(len(proxies))])
	}
	balancer.Start()
	t.Cleanup(balancer.Close)
	return kubeconfigFor(t, balancer.URL)
}

// output collects what a command writes.
type output struct {
	sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.Lock()
	defer o.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.Lock()
	defer o.Unlock()
	return o.text.String()
}

// TestRetireSeveralServers: one of two API servers does not learn that v2 is stored, and goes on to store
// in v1 what a client writes through it. retire waits for it, or the object could not be read once v1 is
// gone.
func TestRetireSeveralServers(t *testing.T) {
	c := newCronTabs(t)
	second, err := shared.uncached.Join(apiserver.Config{Binary: os.Getenv("CROSSWALK_APISERVER")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.Stop)
	at := second.Resource(c.crd, "v2")
	eventually.True(t, "the second API server serves v2", func() bool {
		_, err := at.List(deadline(t), metav1.ListOptions{})
		return err == nil
	})
	c.mustApply(t, "v1", "old", "early", "spec: {cronSpec: 0 7 * * *, image: one}")

	second.Hold()
	binary, err := shared.tool()
	if err != nil {
		t.Fatal(err)
	}
	var out output
	cmd := exec.CommandContext(deadline(t), binary, "retire", c.crd.Name, "v1", "--idle", "0s", "--yes", "--context", "test",
		"--kubeconfig", inTurns(t, shared.uncached.REST, second.REST))
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	eventually.True(t, "v2 is the storage version", func() bool { return definition(t, c.crd.Name).Spec.Versions[1].Storage })
	late := object(t, "{apiVersion: stable.example.com/v2, kind: CronTab, metadata: {name: late}, spec: {min: '0', hour: '7', dayOfMonth: '*', month: '*', dayOfWeek: '*', image: two}}")
	if _, err := at.Create(deadline(t), late, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	stored := func() string {
		o, err := shared.uncached.Stored(deadline(t), c.crd, "late")
		if err != nil {
			t.Fatal(err)
		}
		return o.GetAPIVersion()
	}
	eventually.True(t, "retire waits", func() bool {
		c.patch(t, at, "busy", "late", fmt.Sprintf(`{"metadata":{"labels":{"at":"t%d"}}}`, time.Now().UnixNano()))
		if now := stored(); now != "stable.example.com/v1" {
			t.Errorf("retire does not wait for the second API server: the object is stored in %s", now)
		}
		return strings.Contains(out.String(), "of 8 connections lead to an API server that does not store in v2") || len(ended) > 0
	})
	second.Release()
	if err := <-ended; err != nil {
		t.Errorf("retire: %v", err)
	}
	t.Log(out.String())
	if now := stored(); now != "stable.example.com/v2" {
		t.Errorf("the object is stored in %s", now)
	}
	if _, err := c.v2.Get(deadline(t), "late", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}
