package attach

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// discovered answers requests for a definition's versions as an API server does: with the hash of the
// storage version for one that is served, and with 404 for another and its objects.
func discovered(w http.ResponseWriter, r *http.Request, crd *apiextensions.CustomResourceDefinition) bool {
	rest, ok := strings.CutPrefix(r.URL.Path, "/apis/"+crd.Spec.Group+"/")
	version, objects, _ := strings.Cut(rest, "/")
	switch {
	case !ok || slices.Contains(served(crd), version) && objects != "":
		return false
	case !slices.Contains(served(crd), version):
		w.WriteHeader(http.StatusNotFound)
	default:
		list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: path.Join(crd.Spec.Group, version),
			APIResources: []metav1.APIResource{{Name: crd.Spec.Names.Plural, Kind: crd.Spec.Names.Kind, StorageVersionHash: storageHash(crd.Spec.Group, storage(crd), crd.Spec.Names.Kind)}}}
		_ = json.NewEncoder(w).Encode(list)
	}
	return true
}

// TestBehind: of two API servers, one does not know a change yet.
func TestBehind(t *testing.T) {
	crd := func(served, storage string) *apiextensions.CustomResourceDefinition {
		crd := &apiextensions.CustomResourceDefinition{}
		crd.Spec.Group, crd.Spec.Names = "example.com", apiextensions.CustomResourceDefinitionNames{Plural: "pools", Kind: "Pool"}
		for _, v := range []string{"v1", "v2"} {
			crd.Spec.Versions = append(crd.Spec.Versions, apiextensions.CustomResourceDefinitionVersion{Name: v, Served: strings.Contains(served, v), Storage: v == storage})
		}
		return crd
	}
	server := func(crd *apiextensions.CustomResourceDefinition) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if !discovered(w, r, crd) { // an object that does not convert
				w.WriteHeader(http.StatusInternalServerError)
				_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":500,"message":"conversion webhook failed"}`))
			}
		}
	}
	unhashed := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/v2","resources":[{"name":"pools"}]}`))
	}
	other := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/v2","resources":[{"name":"others"}]}`))
	}
	now := crd("v1 v2", "v2")
	for name, c := range map[string]struct {
		before http.HandlerFunc
		after  *apiextensions.CustomResourceDefinition
		knows  knowledge
		want   int
	}{
		"all store":                    {server(now), now, stores(now, "v2"), 0},
		"one stores the old":           {server(crd("v1 v2", "v1")), now, stores(now, "v2"), 4},
		"one serves the old only":      {server(crd("v1", "v1")), now, stores(now, "v2"), 4},
		"one does not know the kind":   {other, now, stores(now, "v2"), 4},
		"one does not say":             {unhashed, now, stores(now, "v2"), 0},
		"an unserved one is stored":    {server(crd("v1", "v1")), crd("v1", "v2"), stores(crd("v1", "v2"), "v2"), 4},
		"one does not serve the new":   {server(crd("v1", "v1")), now, serves(now, "v2"), 4},
		"one still serves the removed": {server(now), crd("v2", "v2"), lacks(now, "v1"), 4},
		"none serves the removed":      {server(crd("v2", "v2")), crd("v2", "v2"), lacks(now, "v1"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			behind, err := balanced(t, c.before, server(c.after)).behind(t.Context(), c.knows)
			if behind != c.want || err != nil {
				t.Errorf("%d connections, want %d; %v", behind, c.want, err)
			}
		})
	}

	gone := httptest.NewServer(server(now))
	gone.Close()
	cluster, err := NewCluster(&rest.Config{Host: gone.URL})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []knowledge{stores(now, "v2"), serves(now, "v2"), lacks(now, "v1")} {
		if _, err := cluster.behind(t.Context(), k); err == nil {
			t.Errorf("an API server that does not answer is taken for one of which it is known that it %s, or not", k.lack)
		}
	}
	// A missing right is said at once, without a wait for other API servers.
	forbids := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"no list of pools"}`))
	}
	if err := balanced(t, http.HandlerFunc(forbids)).follow(t.Context(), now, nil, stores(now, "v2")); !Forbidden(err) {
		t.Errorf("without rights: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := cluster.follow(ended, now, nil, stores(now, "v2")); err == nil {
		t.Error("follow does not end with its context")
	}
}
