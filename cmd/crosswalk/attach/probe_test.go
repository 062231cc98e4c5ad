package attach

import (
	"context"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// counted counts a connection's calls of Close.
type counted struct {
	net.Conn
	closed *atomic.Int32
}

func (c counted) Close() error {
	c.closed.Add(1)
	return c.Conn.Close()
}

// TestProbeClosesItsConnection: a probe of a definition with one version converts nothing, and the
// controller makes one at each look at the definition.
func TestProbeClosesItsConnection(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	url := "https://example.com/convert" // a name in the server's certificate
	client := &apiextensions.WebhookClientConfig{URL: &url, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})}
	var closed atomic.Int32
	e := endpoint{"server", func(ctx context.Context) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
		return counted{conn, &closed}, err
	}}
	var checks Checks
	p := newProbe(context.Background(), e, client, "v1", &checks)
	if p == nil {
		t.Fatalf("%+v", checks)
	}
	if p.close(); closed.Load() == 0 {
		t.Error("the connection is open")
	}
}
