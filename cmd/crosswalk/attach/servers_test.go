package attach

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// policyServer answers as an API server with some policies, each with its binding.
type policyServer struct {
	sync.Mutex
	left []string // resource/name
}

func (s *policyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/apis/admissionregistration.k8s.io/v1/")
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodDelete {
		i := slices.Index(s.left, path)
		if i < 0 {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"message":"%s not found","details":{"name":"x"}}`, path)
			return
		}
		s.left = slices.Delete(s.left, i, i+1)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
		return
	}
	kind := map[string]string{policyResource.Resource: "ValidatingAdmissionPolicy", bindingResource.Resource: "ValidatingAdmissionPolicyBinding"}[path]
	var items []string
	for _, name := range s.left {
		if name, ok := strings.CutPrefix(name, path+"/"); ok {
			items = append(items, fmt.Sprintf(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":%q,"metadata":{"name":%q,"annotations":{%q:"tenants.b.example.org"}}}`, kind, name, definitionAnnotation))
		}
	}
	fmt.Fprintf(w, `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"%sList","items":[%s]}`, kind, strings.Join(items, ","))
}

// balanced returns a Cluster whose connections lead to some API servers in turns.
func balanced(t *testing.T, handlers ...http.Handler) *Cluster {
	t.Helper()
	var addresses []string
	for _, h := range handlers {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		addresses = append(addresses, s.Listener.Addr().String())
	}
	var n atomic.Uint64
	c, err := NewCluster(&rest.Config{Host: "http://balancer.example.org", Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, addresses[(n.Add(1)-1)%uint64(len(addresses))])
	}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestHalfUpgraded has one API server with admission policies, and one that does not know them.
func TestHalfUpgraded(t *testing.T) {
	without := http.NotFoundHandler() // as an API server for a resource that it does not know
	crd := &apiextensions.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "tenants.b.example.org"}, Spec: apiextensions.CustomResourceDefinitionSpec{
		Versions: []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true}, {Name: "v2", Served: true}},
	}}
	names := func() *policyServer {
		var s policyServer
		for _, v := range []string{"v1", "v2"} {
			s.left = append(s.left, policyResource.Resource+"/"+policyName(crd, v), bindingResource.Resource+"/"+policyName(crd, v))
		}
		return &s
	}
	for _, c := range []struct {
		name    string
		servers []http.Handler
		want    string
	}{
		{"all have policies", []http.Handler{names(), names()}, ""},
		{"none has", []http.Handler{without, without}, "the API server has no ValidatingAdmissionPolicy, which Kubernetes 1.30 and later have: the server could not find the requested resource"},
		{"one has", []http.Handler{names(), without}, "some API servers have no ValidatingAdmissionPolicy (4 of 8 connections led to one), and would admit objects that do not convert: finish the upgrade of the control plane to Kubernetes 1.30 or later, then run the command again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster := balanced(t, c.servers...)
			got := ""
			if err := cluster.Policies.knowPolicies(t.Context()); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if c.want == "" {
				return
			}
			target := &Target{Name: crd.Name, Definitions: []*apiextensions.CustomResourceDefinition{crd}, resource: crdResource}
			out, err := cluster.AttachConvertible(t.Context(), target, Gateway{}, false)
			if err == nil || err.Error() != c.want || out.Action != ActionRefused || out.Message != "nothing was changed" {
				t.Errorf("attach --convertible: %+v %v", out, err)
			}
		})
	}

	with := names()
	cluster := balanced(t, without, with)
	versions, err := cluster.Policies.enforced(t.Context())
	if err != nil || !slices.Equal(versions[crd.Name], []string{"v1", "v2"}) {
		t.Errorf("beside a server without policies: %v %v", versions, err)
	}
	target := &Target{Name: crd.Name, Definitions: []*apiextensions.CustomResourceDefinition{crd}, resource: crdResource}
	for range 2 { // a second time there are none
		if err := balanced(t, without, with).Policies.Unenforce(t.Context(), target); err != nil {
			t.Error(err)
		}
		if err := balanced(t, without, with).Policies.withdraw(t.Context(), target, nil); err != nil {
			t.Error(err)
		}
	}
	with.Lock()
	defer with.Unlock()
	if len(with.left) > 0 {
		t.Errorf("left behind: %q", with.left)
	}
}
