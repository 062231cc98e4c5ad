package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
	"github.com/crosswalk-gateway/crosswalk/test/internal/volume"
)

// TestCertificateRotation (H6): the certificate is replaced by one of another authority, as in a
// mounted Secret, while a real API server that trusts both reads. No read fails, and new
// connections get the new one.
func TestCertificateRotation(t *testing.T) {
	next, err := certs.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	secret := &volume.ConfigMap{Dir: t.TempDir()}
	issue := func(authority *certs.Authority) {
		t.Helper()
		certificate, key, err := authority.Issue("127.0.0.1")
		if err == nil {
			err = secret.Write(map[string][]byte{"tls.crt": certificate, "tls.key": key})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	issue(shared.authority)
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}),
		"--tls-cert-file", filepath.Join(secret.Dir, "tls.crt"), "--tls-key-file", filepath.Join(secret.Dir, "tls.key"))
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2")
	install(t, shared.uncached, crd, p.URL(), bytes.Join([][]byte{shared.authority.PEM, next.PEM}, nil))
	create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", "a", ""))
	v2 := shared.uncached.Resource(crd, "v2")
	readers := startLoad(t.Context(), func(ctx context.Context) error {
		_, err := v2.Get(ctx, "a", metav1.GetOptions{})
		return err
	})

	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(next.PEM)
	handshake := func() error {
		conn, err := tls.Dial("tcp", p.Reviews, &tls.Config{RootCAs: roots})
		if err == nil {
			err = conn.Close()
		}
		return err
	}
	if handshake() == nil {
		t.Error("the new authority's certificate serves before it was written")
	}
	issue(next)
	eventually.Succeeds(t, "the new certificate to be served", handshake)
	readers.end(t, 10)
}
