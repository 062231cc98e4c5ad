package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
	"github.com/crosswalk-gateway/crosswalk/test/internal/judge"
	"github.com/crosswalk-gateway/crosswalk/test/internal/review"
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

// TestJudgeOffences asserts, for all offences of modules, that the API server finds no fault with
// the gateway's response.
func TestJudgeOffences(t *testing.T) {
	module := signed(puppetFile, guest(t, "puppet"))
	for name, j := range judges(t) {
		t.Run(strings.ReplaceAll(name, "/", ""), func(t *testing.T) {
			for _, o := range offences() {
				t.Run(o.name, func(t *testing.T) {
					t.Log("docs/spec/faults.md:", o.row)
					bad, good := puppet("v1", "bad", o.script), puppet("v1", "good", "")
					bad.SetUID("0b5f4f1c-0000-4000-8000-000000000001")
					_, err := j.Convert(bad, "v2")
					clean(t, err, "v1", o.message(bad, module))
					// The module is none the worse for it, and its breaker does not open.
					if _, err := j.Convert(good, "v2"); err != nil {
						t.Errorf("then converting a good object: %v", err)
					}
				})
			}
		})
	}
}

// TestMessagesAreWhole asserts that the API server passes on the gateway's whole message, so
// checking one checks the other.
func TestMessagesAreWhole(t *testing.T) {
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}))
	j, err := judge.New(judge.Config{Group: puppetGroup, Kind: "Puppet", Versions: []string{"v1", "v2"}, URL: p.URL(), CA: p.CA})
	if err != nil {
		t.Fatal(err)
	}
	client, err := p.Client()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range offences() {
		t.Run(o.name, func(t *testing.T) {
			bad := puppet("v1", "bad", o.script)
			text, err := bad.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			answer, err := review.New("v1", puppetGroup+"/v2", string(text)).Send(client, p.URL())
			if err != nil {
				t.Fatal(err)
			}
			if answer.Result.Status != "Failed" || len(answer.ConvertedObjects) != 0 {
				t.Errorf("status %q with %d objects", answer.Result.Status, len(answer.ConvertedObjects))
			}
			_, err = j.Convert(puppet("v1", "good", ""), "v2") // closes the breaker
			if err != nil {
				t.Fatal(err)
			}
			_, err = j.Convert(bad, "v2")
			if want := "conversion webhook for puppet.example.com/v1, Kind=Puppet failed: " + answer.Result.Message; err == nil || err.Error() != want {
				t.Errorf("the user reads\n\t%.1000q\nand the gateway answered\n\t%.1000q", err, want)
			}
		})
	}
}
