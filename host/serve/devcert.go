package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"
)

// devLifetime is how long a development certificate is good for. It lives no longer than its
// process, and a process of more than a year is not development.
const devLifetime = 365 * 24 * time.Hour

// DevCertificates makes a CA and a certificate for development, in memory: for localhost,
// 127.0.0.1, ::1 and the hosts given, names or addresses. ca is the CA's certificate in PEM, for a
// CRD's caBundle or curl's --cacert. Its key is forgotten at once.
func DevCertificates(hosts []string, metrics *Metrics, logger *slog.Logger) (c *Certificates, ca []byte, err error) {
	authority := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "Crosswalk development CA"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	authorityKey, authorityDER, err := issue(authority, authority, nil)
	if err != nil {
		return nil, nil, err
	}
	leaf := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "Crosswalk development"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range append([]string{"localhost", "127.0.0.1", "::1"}, hosts...) {
		switch ip := net.ParseIP(host); {
		case ip != nil:
			leaf.IPAddresses = append(leaf.IPAddresses, ip)
		case host == "":
			return nil, nil, errors.New("a host for the development certificate is empty")
		default:
			leaf.DNSNames = append(leaf.DNSNames, host)
		}
	}
	key, der, err := issue(leaf, authority, authorityKey)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, fmt.Errorf("making the development certificate: %w", err)
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	c = &Certificates{cfg: CertificatesConfig{Metrics: metrics}, log: logger}
	c.serve(tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: parsed}, nil, parsed.NotAfter)
	c.noteGood()
	return c, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authorityDER}), nil
}

// issue makes a key and a certificate for it, signed with parentKey or, if that is nil, with
// itself.
func issue(template, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("making a key: %w", err)
	}
	if parentKey == nil {
		parentKey = key
	}
	template.NotBefore = time.Now().Add(-time.Hour) // for clients whose clock is behind
	template.NotAfter = time.Now().Add(devLifetime)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		return nil, nil, fmt.Errorf("making a certificate: %w", err)
	}
	return key, der, nil
}
