package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
	"github.com/crosswalk-gateway/crosswalk/test/internal/judge"
)

// judges returns the API server's client code in each of the ways it comes to a gateway, all asking
// for Puppets.
func judges(t *testing.T) map[string]*judge.Judge {
	t.Helper()
	dir := modules(t, map[string][]byte{puppetFile: guest(t, "puppet")})
	p := readyGateway(t, dir)
	if got, want := negotiated(t, p), "http/1.1"; got != want {
		t.Fatalf("a client that offers HTTP/2 gets %q, not %q", got, want)
	}
	all := map[string]*judge.Judge{}
	for _, version := range []string{"v1", "v1beta1"} {
		for _, way := range []struct {
			name string
			cfg  judge.Config
		}{
			{"a Service", judge.Config{Address: p.Reviews, CA: p.CA}},
			{"a URL, with HTTP/2 offered and not taken", judge.Config{URL: p.URL(), CA: p.CA}},
		} {
			way.cfg.Group, way.cfg.Kind, way.cfg.Versions = puppetGroup, "Puppet", []string{"v1", "v2"}
			way.cfg.ReviewVersions = []string{version}
			j, err := judge.New(way.cfg)
			if err != nil {
				t.Fatal(err)
			}
			all[version+" to "+way.name] = j
		}
	}
	return all
}

// negotiated returns the protocol that the gateway takes when HTTP/2 is offered.
func negotiated(t *testing.T, p *gateway.Process) string {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.CA)
	conn, err := tls.Dial("tcp", p.Reviews, &tls.Config{RootCAs: roots, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.ConnectionState().NegotiatedProtocol
}
