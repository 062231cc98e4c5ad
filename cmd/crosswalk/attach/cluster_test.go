package attach

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/client-go/rest"
)

// clusterOf returns a cluster whose API server is a handler, until the test ends.
func clusterOf(t *testing.T, h http.Handler) *Cluster {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := NewCluster(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
