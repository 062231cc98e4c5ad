package serve

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// authority signs the certificates of a test.
type authority struct {
	key   *ecdsa.PrivateKey
	cert  *x509.Certificate
	pem   []byte
	roots *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	template := &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	key, der, err := issue(template, template, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: key, roots: x509.NewCertPool(), pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.roots.AddCert(a.cert)
	return a
}

// pair makes a certificate for localhost and its key, in PEM.
func (a *authority) pair(t *testing.T) (cert, key []byte) {
	t.Helper()
	private, der, err := issue(&x509.Certificate{
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a.cert, a.key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// secret is a directory like a mounted Secret: its content is replaced in one step.
type secret struct{ dir string }

func (s secret) put(t *testing.T, files map[string][]byte) {
	t.Helper()
	fresh, err := os.MkdirTemp(s.dir, "..")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		write(t, filepath.Join(fresh, name), content)
		_ = os.Symlink(filepath.Join("..data", name), filepath.Join(s.dir, name))
	}
	link := filepath.Join(s.dir, "..data_tmp")
	if err := os.Symlink(filepath.Base(fresh), link); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link, filepath.Join(s.dir, "..data")); err != nil {
		t.Fatal(err)
	}
}

func TestCertificatesRotate(t *testing.T) {
	ca := newAuthority(t)
	mounted := secret{t.TempDir()}
	var serials []string
	rotate := func() {
		cert, key := ca.pair(t)
		block, _ := pem.Decode(cert)
		parsed, _ := x509.ParseCertificate(block.Bytes)
		serials = append(serials, parsed.SerialNumber.String())
		mounted.put(t, map[string][]byte{"tls.crt": cert, "tls.key": key})
	}
	rotate()
	r := start(t, func(c *ServerConfig) {
		c.MaxInFlight = 100
		var err error
		c.Certificates, err = LoadCertificates(CertificatesConfig{
			CertFile: filepath.Join(mounted.dir, "tls.crt"), KeyFile: filepath.Join(mounted.dir, "tls.key"), Metrics: c.Metrics, Logger: c.Logger,
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	r.client.Transport.(*http.Transport).TLSClientConfig.RootCAs = ca.roots
	served := func(client *http.Client) string {
		resp, err := client.Post(r.url+"/convert", "application/json", strings.NewReader(goodReview))
		if err != nil {
			t.Error(err)
			return ""
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return resp.TLS.PeerCertificates[0].SerialNumber.String()
	}
	fresh := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: ca.roots}, DisableKeepAlives: true}}

	// Load on new connections, all the while.
	var done atomic.Bool
	var sent atomic.Int64
	var load sync.WaitGroup
	for range 2 {
		load.Go(func() {
			for !done.Load() {
				served(fresh)
				sent.Add(1)
			}
		})
	}

	if got := served(r.client); got != serials[0] {
		t.Errorf("first served %s, want %s", got, serials[0])
	}
	for round := 1; round <= 20; round++ {
		rotate()
		if err := r.cfg.Certificates.Reload(); err != nil {
			t.Fatal(err)
		}
		if got := served(fresh); got != serials[round] {
			t.Fatalf("round %d: a new connection got %s, want %s", round, got, serials[round])
		}
	}
	if got := served(r.client); got != serials[0] {
		t.Errorf("the old connection did not live on: it has %s, want %s", got, serials[0])
	}
	before := sent.Load()
	eventually.True(t, "some load", func() bool { return sent.Load() > before+2 })
	done.Store(true)
	load.Wait()
	if n := strings.Count(r.log.String(), "serving certificate"); n != 21 {
		t.Errorf("%d certificates logged, want 21", n)
	}
}

// The valid pair keeps serving after any damage to the files, and the damage is visible.
func TestBadCertificateFiles(t *testing.T) {
	ca := newAuthority(t)
	cert, key := ca.pair(t)
	_, otherKey := ca.pair(t)
	for _, test := range []struct {
		name  string
		files map[string][]byte // nil content = file removed
		want  string            // with DIR for the directory
	}{
		{"unchanged", map[string][]byte{}, "<nil>"},
		{"another's key", map[string][]byte{"tls.key": otherKey}, "certificate DIR/tls.crt and key DIR/tls.key: tls: private key does not match public key"},
		{"empty certificate", map[string][]byte{"tls.crt": {}}, "certificate DIR/tls.crt and key DIR/tls.key: tls: failed to find any PEM data in certificate input"},
		{"half a key", map[string][]byte{"tls.key": key[:len(key)/2]}, "certificate DIR/tls.crt and key DIR/tls.key: tls: failed to find any PEM data in key input"},
		{"no key", map[string][]byte{"tls.key": nil}, "reading the key: open DIR/tls.key: no such file or directory"},
		{"no client CA", map[string][]byte{"ca.crt": []byte("x")}, "client CA file DIR/ca.crt: no PEM certificate in it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			good := map[string][]byte{"tls.crt": cert, "tls.key": key, "ca.crt": ca.pem}
			for name, content := range good {
				write(t, filepath.Join(dir, name), content)
			}
			metrics := NewMetrics(prometheus.NewRegistry())
			c, err := LoadCertificates(CertificatesConfig{
				CertFile: dir + "/tls.crt", KeyFile: dir + "/tls.key", ClientCAFile: dir + "/ca.crt", Metrics: metrics,
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(c.Dirs()); got != fmt.Sprint([]string{dir}) {
				t.Errorf("Dirs() is %s, want only %s", got, dir)
			}
			if got, want := testutil.ToFloat64(metrics.certificateExpiry), float64(time.Now().Add(devLifetime).Unix()); want-got > 3600 || got > want {
				t.Errorf("expiry metric is %v, want about %v", got, want)
			}
			serving := c.current.Load()

			for name, content := range test.files {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
				if content != nil {
					write(t, filepath.Join(dir, name), content)
				}
			}
			got := strings.ReplaceAll(fmt.Sprint(c.Reload()), dir, "DIR")
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if c.current.Load() != serving {
				t.Error("the good certificate was replaced")
			}
			wantGauge := 0.0
			if test.want == "<nil>" {
				wantGauge = 1
			}
			if got := testutil.ToFloat64(metrics.certificateReloaded); got != wantGauge {
				t.Errorf("reload metric is %v, want %v", got, wantGauge)
			}

			for name, content := range good { // and back again
				write(t, filepath.Join(dir, name), content)
			}
			if err := c.Reload(); err != nil {
				t.Error(err)
			}
			if got := testutil.ToFloat64(metrics.certificateReloaded); got != 1 {
				t.Errorf("reload metric is %v after the repair, want 1", got)
			}
		})
	}
}

func TestLoadCertificatesFails(t *testing.T) {
	_, err := LoadCertificates(CertificatesConfig{CertFile: "/nowhere/tls.crt", KeyFile: "/nowhere/tls.key", Metrics: NewMetrics(prometheus.NewRegistry())})
	if want := "reading the certificate: open /nowhere/tls.crt: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestExpiryOfAChain: the certificate that expires first counts, wherever it is in the chain.
func TestExpiryOfAChain(t *testing.T) {
	ca := newAuthority(t)
	soon := time.Now().Add(time.Hour).Truncate(time.Second)
	between := &x509.Certificate{SerialNumber: big.NewInt(2), IsCA: true, BasicConstraintsValid: true, NotAfter: soon}
	betweenDER, err := x509.CreateCertificate(rand.Reader, between, ca.cert, &ca.key.PublicKey, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	key, der, err := issue(&x509.Certificate{}, between, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	metrics := NewMetrics(prometheus.NewRegistry())
	c := &Certificates{cfg: CertificatesConfig{CertFile: "tls.crt", Metrics: metrics}, log: slog.New(slog.DiscardHandler)}
	pair := tls.Certificate{Certificate: [][]byte{der, betweenDER, ca.cert.Raw}, PrivateKey: key, Leaf: leaf}
	expiry, err := expiryOf(pair)
	if err != nil || !expiry.Equal(soon) {
		t.Errorf("it expires at %v, %v; want %v", expiry, err, soon)
	}
	c.serve(pair, nil, expiry)
	if got := testutil.ToFloat64(metrics.certificateExpiry); got != float64(soon.Unix()) {
		t.Errorf("the metric is %v, want %v", got, soon.Unix())
	}
}

// Certificates that serve but that no API server takes are pointed out.
func TestUselessCertificates(t *testing.T) {
	ca := newAuthority(t)
	key, der, err := issue(&x509.Certificate{}, ca.cert, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	leaf.NotBefore, leaf.NotAfter = time.Now().Add(time.Minute), time.Now().Add(-time.Minute)
	var log buffer
	c := &Certificates{cfg: CertificatesConfig{CertFile: "tls.crt", Metrics: NewMetrics(prometheus.NewRegistry())}, log: slog.New(slog.NewTextHandler(&log, nil))}
	c.serve(tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, nil, leaf.NotAfter)
	for _, want := range []string{"it has no subject alternative name", "it is not valid before ", "it has expired at "} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("not in the log: %s", want)
		}
	}
}

func TestClientCertificates(t *testing.T) {
	ca, stranger := newAuthority(t), newAuthority(t)
	dir := t.TempDir()
	cert, key := ca.pair(t)
	write(t, dir+"/tls.crt", cert)
	write(t, dir+"/tls.key", key)
	write(t, dir+"/ca.crt", ca.pem)
	r := start(t, func(c *ServerConfig) {
		var err error
		c.Certificates, err = LoadCertificates(CertificatesConfig{
			CertFile: dir + "/tls.crt", KeyFile: dir + "/tls.key", ClientCAFile: dir + "/ca.crt", Metrics: c.Metrics,
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	for _, test := range []struct {
		name   string
		signer *authority
		want   string
	}{
		{"none", nil, "remote error: tls: certificate required"},
		{"a stranger's", stranger, "remote error: tls: unknown certificate authority"},
		{"a good one", ca, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := &tls.Config{RootCAs: ca.roots}
			if test.signer != nil {
				cert, key := test.signer.pair(t)
				pair, err := tls.X509KeyPair(cert, key)
				if err != nil {
					t.Fatal(err)
				}
				config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
			}
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
			resp, err := client.Post(r.url+"/convert", "application/json", strings.NewReader(goodReview))
			if err == nil {
				resp.Body.Close()
			}
			if got := fmt.Sprint(err); test.want != "" && !strings.HasSuffix(got, test.want) || test.want == "" && err != nil {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestDevCertificates(t *testing.T) {
	metrics := NewMetrics(prometheus.NewRegistry())
	c, ca, err := DevCertificates([]string{"crosswalk.default.svc", "10.0.0.7"}, metrics, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := testutil.ToFloat64(metrics.certificateReloaded); got != 1 {
		t.Errorf("reload metric is %v, which alerts; want 1", got)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		t.Fatal("the CA is no PEM")
	}
	leaf := c.current.Load().Certificates[0].Leaf
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "::1": true, "crosswalk.default.svc": true, "10.0.0.7": true, "example.com": false, "10.0.0.8": false,
	} {
		if _, err := leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots}); (err == nil) != want {
			t.Errorf("%s: %v", host, err)
		}
	}
	if err := c.Reload(); err != nil { // there is nothing to reload
		t.Errorf("Reload: %v", err)
	}
	if dirs := c.Dirs(); dirs != nil {
		t.Errorf("Dirs() is %v, want none", dirs)
	}
	if _, _, err := DevCertificates([]string{""}, metrics, nil); err == nil || err.Error() != "a host for the development certificate is empty" {
		t.Errorf("empty host: %v", err)
	}
}

// A client that comes back spares both sides the handshake's signatures.
func TestSessionsResume(t *testing.T) {
	r := start(t, nil)
	config := &tls.Config{RootCAs: r.roots, ServerName: "localhost", ClientSessionCache: tls.NewLRUClientSessionCache(1)}
	for _, resumes := range []bool{false, true, true} {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(r.url, "https://"), config)
		if err != nil {
			t.Fatal(err)
		}
		// The ticket comes with the first answer.
		if _, err := conn.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(conn); err != nil {
			t.Fatal(err)
		}
		if got := conn.ConnectionState().DidResume; got != resumes {
			t.Errorf("resumed: %v, want %v", got, resumes)
		}
		conn.Close()
	}
}
