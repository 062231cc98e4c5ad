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

// TestPoliciesOfOldServers: an API server without admission policies refuses attach --convertible in words.
// Where it has them, all of a definition are found, and deleted once.
func TestPoliciesOfOldServers(t *testing.T) {
	crd := &apiextensions.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "tenants.b.example.org"}, Spec: apiextensions.CustomResourceDefinitionSpec{
		Versions: []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true}, {Name: "v2", Served: true}},
	}}
	target := &Target{Name: crd.Name, Definitions: []*apiextensions.CustomResourceDefinition{crd}, resource: crdResource}
	const want = "the API server has no ValidatingAdmissionPolicy, which Kubernetes 1.30 and later have: listing ValidatingAdmissionPolicyBindings: the server could not find the requested resource"
	old := balanced(t, http.NotFoundHandler()) // as an API server for a resource that it does not know
	out, err := old.AttachConvertible(t.Context(), target, Gateway{}, false)
	if err == nil || err.Error() != want || out.Action != ActionRefused || out.Message != "nothing was changed" {
		t.Errorf("attach --convertible: %+v %v", out, err)
	}
	if err := old.Policies.Unenforce(t.Context(), target); err != nil {
		t.Error(err)
	}

	var with policyServer
	for _, v := range []string{"v1", "v2"} {
		with.left = append(with.left, policyResource.Resource+"/"+policyName(crd, v), bindingResource.Resource+"/"+policyName(crd, v))
	}
	cluster := balanced(t, &with)
	versions, err := cluster.Policies.enforced(t.Context())
	if err != nil || !slices.Equal(versions[crd.Name], []string{"v1", "v2"}) {
		t.Errorf("the policies are of %v, %v", versions, err)
	}
	for range 2 { // a second time there are none
		if err := cluster.Policies.Unenforce(t.Context(), target); err != nil {
			t.Error(err)
		}
		if err := cluster.Policies.withdraw(t.Context(), target, nil); err != nil {
			t.Error(err)
		}
	}
	with.Lock()
	defer with.Unlock()
	if len(with.left) > 0 {
		t.Errorf("left behind: %q", with.left)
	}
}
