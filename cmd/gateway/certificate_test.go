package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// writePair writes a new certificate for 127.0.0.1 and its key into a directory, one after the
// other, like a careless script. It returns the certificate in PEM.
func writePair(t *testing.T, dir string) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, content := range map[string][]byte{"tls.crt": cert, "tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert
}

// TestCertificateFollowsItsFiles: a certificate that is replaced in its directory serves without a
// restart; a bad file does not, and is reported.
func TestCertificateFollowsItsFiles(t *testing.T) {
	dir := t.TempDir()
	first := writePair(t, dir)
	p := launch(t, "--tls-cert-file", filepath.Join(dir, "tls.crt"), "--tls-key-file", filepath.Join(dir, "tls.key"), "--drain-delay", "0s")
	p.waitListening(t)
	served := func() string {
		conn, err := tls.Dial("tcp", p.reviews, &tls.Config{InsecureSkipVerify: true}) // the test compares the certificate
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: conn.ConnectionState().PeerCertificates[0].Raw}))
	}
	if served() != string(first) {
		t.Error("the gateway serves another certificate than that of the file")
	}

	second := writePair(t, dir)
	eventually.True(t, "the new certificate to be served", func() bool { return served() == string(second) })

	if err := os.WriteFile(filepath.Join(dir, "tls.crt"), first, 0o600); err != nil {
		t.Fatal(err)
	}
	p.output.until(t, "certificate not replaced; still serving the previous one")
	if served() != string(second) {
		t.Error("the good certificate no longer serves")
	}
	if _, metrics := p.get(t, "/metrics"); !strings.Contains(metrics, "\ncrosswalk_tls_last_reload_successful 0\n") {
		t.Error("the failed reload is not among the metrics")
	}
	if err := os.Rename(p.modules, p.modules+".away"); err != nil {
		t.Fatal(err)
	}
	p.output.until(t, "cannot read the module directory")
	_, page := p.get(t, "/")
	for _, want := range []string{"private key does not match public key", "cannot read the module directory; loaded modules keep serving: ", "the certificate expires at "} {
		if !strings.Contains(page, want) {
			t.Errorf("not on the page: %s", want)
		}
	}
}

// TestCertificateProblemIsLoggedOnce: a problem that each poll finds again is one line of the log; after
// another problem, or a good certificate, it is a new one.
func TestCertificateProblemIsLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	var err error
	reload := reloading(func() error { return err }, slog.New(slog.NewTextHandler(&log, nil)))
	missing, mismatch := errors.New("missing"), errors.New("mismatch")
	for i, step := range []struct {
		err   error
		lines int // of the log, so far
	}{{nil, 0}, {missing, 1}, {missing, 1}, {mismatch, 2}, {missing, 3}, {nil, 3}, {missing, 4}, {missing, 4}} {
		err = step.err
		reload()
		if n := strings.Count(log.String(), "certificate not replaced"); n != step.lines {
			t.Errorf("step %d (%v): %d lines, want %d", i, step.err, n, step.lines)
		}
	}
}

// TestDevCertificateIsPrinted: --dev prints the URL and the CA for a definition, with the first
// --dev-host if there is one.
func TestDevCertificateIsPrinted(t *testing.T) {
	for host, url := range map[string]string{"": "https://localhost:9443/convert", "gateway.test,127.0.0.2": "https://gateway.test:9443/convert"} {
		o := &options{dev: true, devCAFile: filepath.Join(t.TempDir(), "ca.crt")}
		if host != "" {
			o.devHosts = strings.Split(host, ",")
		}
		var out bytes.Buffer
		_, err := o.certificates(&net.TCPAddr{Port: 9443}, serve.NewMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler), &out)
		if err != nil {
			t.Fatal(err)
		}
		ca, err := os.ReadFile(o.devCAFile)
		if err != nil {
			t.Fatal(err)
		}
		if want := "url: " + url + "\n        caBundle: " + base64.StdEncoding.EncodeToString(ca) + "\n"; !strings.Contains(out.String(), want) {
			t.Errorf("--dev-host %q: %s\nwant\n%s", host, out.String(), want)
		}
	}
}
