package serve

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// made makes a certificate and its key, in PEM, of a template that says all.
func (a *authority) made(t *testing.T, template x509.Certificate) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	der, err := x509.CreateCertificate(rand.Reader, &template, a.cert, &private.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
}

// TestRefusedCertificateDoesNotReplaceH6: a certificate that every client refuses replaces none
// that clients accept. A client keeps converting, and Problem and the metric say why.
func TestRefusedCertificateDoesNotReplaceH6(t *testing.T) {
	ca := newAuthority(t)
	now, hour := time.Now(), time.Hour
	names := []string{"localhost"}
	expiredCA, _ := ca.made(t, x509.Certificate{IsCA: true, NotBefore: now.Add(-2 * hour), NotAfter: now.Add(-hour)})
	for _, test := range []struct {
		name     string
		template x509.Certificate
		clients  []byte
		want     string // "" = it is served
	}{
		{"expired", x509.Certificate{DNSNames: names, NotBefore: now.Add(-2 * hour), NotAfter: now.Add(-hour)}, nil, "it has expired at "},
		{"not valid yet", x509.Certificate{DNSNames: names, NotBefore: now.Add(hour), NotAfter: now.Add(2 * hour)}, nil, "it is not valid before "},
		{"without a name", x509.Certificate{NotBefore: now.Add(-hour), NotAfter: now.Add(hour)}, nil, "it has no subject alternative name"},
		{"of a client", x509.Certificate{DNSNames: names, NotBefore: now.Add(-hour), NotAfter: now.Add(hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, nil, "it is not for servers"},
		{"good, and expired CAs of clients", x509.Certificate{DNSNames: names, NotBefore: now.Add(-hour), NotAfter: now.Add(hour)}, expiredCA, "all of its certificates have expired"},
		{"good", x509.Certificate{DNSNames: names, NotBefore: now.Add(-hour), NotAfter: now.Add(hour)}, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			put := func(cert, key, clients []byte) {
				write(t, filepath.Join(dir, "tls.crt"), cert)
				write(t, filepath.Join(dir, "tls.key"), key)
				if clients != nil {
					write(t, filepath.Join(dir, "ca.crt"), clients)
				}
			}
			good, goodKey := ca.pair(t)
			put(good, goodKey, ca.pem)
			config := CertificatesConfig{CertFile: dir + "/tls.crt", KeyFile: dir + "/tls.key", Metrics: NewMetrics(prometheus.NewRegistry())}
			if test.clients != nil {
				config.ClientCAFile = dir + "/ca.crt"
			}
			c, err := LoadCertificates(config)
			if err != nil {
				t.Fatal(err)
			}
			serving := c.current.Load()

			cert, key := ca.made(t, test.template)
			put(cert, key, test.clients)
			err = c.Reload()
			if test.want == "" {
				if err != nil || c.current.Load() == serving || c.Problem() != "" {
					t.Errorf("a good certificate is not served: %v, problem %q", err, c.Problem())
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || c.Problem() != err.Error() {
				t.Errorf("error %v, problem %q, want %q", err, c.Problem(), test.want)
			}
			if c.current.Load() != serving || testutil.ToFloat64(config.Metrics.certificateReloaded) != 0 {
				t.Error("the good certificate was replaced, or the metric does not show the problem")
			}
			put(good, goodKey, ca.pem)
			if err := c.Reload(); err != nil || c.Problem() != "" {
				t.Errorf("after the repair: %v, problem %q", err, c.Problem())
			}

			// At the start there is no other; the log says why clients refuse it.
			put(cert, key, test.clients)
			if _, err := LoadCertificates(config); err != nil {
				t.Errorf("the gateway does not start: %v", err)
			}
		})
	}
}

// TestExpiredCertificateGivesWayH6: two that clients refuse are equal: the file decides.
func TestExpiredCertificateGivesWayH6(t *testing.T) {
	ca, dir := newAuthority(t), t.TempDir()
	expired := x509.Certificate{DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour)}
	put := func() {
		cert, key := ca.made(t, expired)
		write(t, filepath.Join(dir, "tls.crt"), cert)
		write(t, filepath.Join(dir, "tls.key"), key)
	}
	put()
	c, err := LoadCertificates(CertificatesConfig{CertFile: dir + "/tls.crt", KeyFile: dir + "/tls.key", Metrics: NewMetrics(prometheus.NewRegistry())})
	if err != nil {
		t.Fatal(err)
	}
	before := c.current.Load()
	put()
	if err := c.Reload(); err != nil || c.current.Load() == before {
		t.Errorf("the other expired certificate is not served: %v", err)
	}
}

// TestClientKeepsConvertingWhenAnExpiredCertificateComesH6 is the same with a client of the
// listener.
func TestClientKeepsConvertingWhenAnExpiredCertificateComesH6(t *testing.T) {
	ca := newAuthority(t)
	mounted := secret{t.TempDir()}
	cert, key := ca.pair(t)
	mounted.put(t, map[string][]byte{"tls.crt": cert, "tls.key": key})
	r := start(t, func(c *ServerConfig) {
		var err error
		c.Certificates, err = LoadCertificates(CertificatesConfig{
			CertFile: filepath.Join(mounted.dir, "tls.crt"), KeyFile: filepath.Join(mounted.dir, "tls.key"), Metrics: c.Metrics, Logger: c.Logger,
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	transport := r.client.Transport.(*http.Transport)
	transport.TLSClientConfig.RootCAs, transport.DisableKeepAlives = ca.roots, true
	cert, key = ca.made(t, x509.Certificate{DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour)})
	mounted.put(t, map[string][]byte{"tls.crt": cert, "tls.key": key})
	if err := r.cfg.Certificates.Reload(); err == nil {
		t.Error("no error")
	}
	resp, err := r.client.Post(r.url+"/convert", "application/json", strings.NewReader(goodReview))
	if err != nil {
		t.Fatalf("a new connection: %v", err)
	}
	resp.Body.Close()
}

// TestLostNamesAreSaidH6: a certificate for other names is served, because the names may be meant to
// go, and the log has those that API servers may still connect to.
func TestLostNamesAreSaidH6(t *testing.T) {
	ca := newAuthority(t)
	dir, now := t.TempDir(), time.Now()
	put := func(names ...string) {
		cert, key := ca.made(t, x509.Certificate{DNSNames: names, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)})
		write(t, filepath.Join(dir, "tls.crt"), cert)
		write(t, filepath.Join(dir, "tls.key"), key)
	}
	var text bytes.Buffer
	put("a.svc", "b.svc")
	c, err := LoadCertificates(CertificatesConfig{CertFile: dir + "/tls.crt", KeyFile: dir + "/tls.key", Metrics: NewMetrics(prometheus.NewRegistry()),
		Logger: slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		names []string
		want  string
	}{
		{[]string{"a.svc", "b.svc"}, ""},
		{[]string{"*.svc"}, ""},
		{[]string{"a.svc"}, "names=[*.svc]"},
		{[]string{"c.svc", "A.svc"}, ""},
		{[]string{"other"}, `names="[c.svc A.svc]"`},
	} {
		text.Reset()
		put(step.names...)
		if err := c.Reload(); err != nil {
			t.Fatal(err)
		}
		if got := text.String(); (got != "") != (step.want != "") || !strings.Contains(got, step.want) {
			t.Errorf("%s: %q, want %q", step.names, got, step.want)
		}
	}
}
