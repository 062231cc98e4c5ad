package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The keys of the Secret. The gateway mounts it and reads the first two.
const (
	certificateKey, privateKey = core.TLSCertKey, core.TLSPrivateKeyKey
	caKey                      = "ca.crt" // all CAs that definitions must trust now
	nextCertificateKey         = "next.crt"
	nextPrivateKey             = "next.key"
)

// sinceAnnotation of the Secret has the time at which its present stage began, for people, and to tell
// one stage from the next. How long a stage lasts is measured by the process that waits for its end: a
// clock that is set would end a stage early, or make it last for days.
const sinceAnnotation = "crosswalk-gateway.github.io/since"

const (
	// lifetime of a certificate and of its CA, whose key is thrown away once it has signed the one
	// certificate. Nobody can sign another with a stolen Secret.
	lifetime = 90 * 24 * time.Hour
	// renewBefore is the rest of the lifetime at which the next pair is made.
	renewBefore = lifetime / 3
	// trustTime is the time between the last definition's trust in the next pair and its use: all
	// API servers see definitions by then.
	trustTime = 2 * time.Minute
	// forceBefore is the rest of the lifetime at which the next pair is used although a definition
	// does not trust it: waiting for that one longer would fail all.
	forceBefore = 24 * time.Hour
	// retireTime is the time between the use of a pair and the end of the trust in the previous
	// one: kubelets deliver a Secret within minutes.
	retireTime = time.Hour
)

// pair is the Secret with the gateway's certificate. It changes in stages, each of which works with
// the one before and the one after: one pair; a next pair that definitions trust already and that
// nobody uses; the next pair in use while the previous one is still trusted; one pair.
type pair struct {
	secret *core.Secret
	names  []string  // that the certificate must have
	began  time.Time // when this process found the present stage
}

// step moves the pair to the next stage if it is time, and reports whether it changed. trusted
// reports that all definitions have the present ca.crt.
func (p *pair) step(now time.Time, trusted bool) (changed bool, err error) {
	data := p.secret.Data
	stage := func() {
		p.began = now
		if p.secret.Annotations == nil {
			p.secret.Annotations = map[string]string{}
		}
		p.secret.Annotations[sinceAnnotation] = now.UTC().Format(time.RFC3339)
	}
	leaf := p.leaf(certificateKey)
	switch {
	case leaf == nil || now.After(leaf.NotAfter): // nothing works anyway
		ca, certificate, key, err := issue(p.names, now)
		if err != nil {
			return false, err
		}
		data[certificateKey], data[privateKey], data[caKey] = certificate, key, ca
		delete(data, nextCertificateKey)
		delete(data, nextPrivateKey)
		stage()
		return true, nil
	case data[nextCertificateKey] != nil:
		if !trusted && now.Before(leaf.NotAfter.Add(-forceBefore)) {
			if p.secret.Annotations[sinceAnnotation] != "" { // trustTime begins when all trust it
				delete(p.secret.Annotations, sinceAnnotation)
				return true, nil
			}
			return false, nil
		}
		if p.secret.Annotations[sinceAnnotation] == "" {
			stage()
			return true, nil
		}
		if now.Sub(p.began) < trustTime {
			return false, nil
		}
		data[certificateKey], data[privateKey] = data[nextCertificateKey], data[nextPrivateKey]
		delete(data, nextCertificateKey)
		delete(data, nextPrivateKey)
		stage()
		return true, nil
	case now.After(leaf.NotAfter.Add(-renewBefore)) || !p.named(leaf):
		ca, certificate, key, err := issue(p.names, now)
		if err != nil {
			return false, err
		}
		data[nextCertificateKey], data[nextPrivateKey] = certificate, key
		data[caKey] = append(bytes.TrimRight(bytes.Clone(data[caKey]), "\n"), append([]byte("\n"), ca...)...)
		delete(p.secret.Annotations, sinceAnnotation)
		return true, nil
	case bytes.Count(data[caKey], []byte("BEGIN CERTIFICATE")) > 1 && now.Sub(p.began) > retireTime:
		data[caKey] = signer(data[caKey], leaf)
		stage()
		return true, nil
	}
	return false, nil
}

// leaf returns the certificate of a key; nil if it cannot be read.
func (p *pair) leaf(key string) *x509.Certificate {
	block, _ := pem.Decode(p.secret.Data[key])
	if block == nil {
		return nil
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil
	}
	return certificate
}

func (p *pair) named(leaf *x509.Certificate) bool {
	for _, name := range p.names {
		if leaf.VerifyHostname(name) != nil {
			return false
		}
	}
	return true
}

// signer returns the CA of a bundle that signed a certificate; the whole bundle if none did.
func signer(bundle []byte, leaf *x509.Certificate) []byte {
	for rest := bundle; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return bundle
		}
		if ca, err := x509.ParseCertificate(block.Bytes); err == nil && leaf.CheckSignatureFrom(ca) == nil {
			return pem.EncodeToMemory(block)
		}
	}
}

// issue makes a CA and a certificate that it signs, as PEM. The CA's key is not kept.
func issue(names []string, now time.Time) (ca, certificate, key []byte, err error) {
	caPrivate, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, nil, err
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, nil, err
	}
	template := func(name string) (*x509.Certificate, error) {
		serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
		return &x509.Certificate{
			SerialNumber: serial, Subject: pkix.Name{CommonName: name},
			// This clock may be ahead: API servers would refuse a certificate from the future for as long.
			NotBefore: now.Add(-lifetime), NotAfter: now.Add(lifetime),
			BasicConstraintsValid: true,
		}, err
	}
	// Each CA has a name of its own, or a verifier could confuse two in one bundle.
	authority, err := template("crosswalk " + now.UTC().Format(time.RFC3339))
	if err != nil {
		return nil, nil, nil, err
	}
	authority.IsCA, authority.MaxPathLenZero, authority.KeyUsage = true, true, x509.KeyUsageCertSign
	caDER, err := x509.CreateCertificate(rand.Reader, authority, authority, caPrivate.Public(), caPrivate)
	if err != nil {
		return nil, nil, nil, err
	}
	signed, err := x509.ParseCertificate(caDER)
	if err != nil {
		return nil, nil, nil, err
	}
	leaf, err := template(names[0])
	if err != nil {
		return nil, nil, nil, err
	}
	leaf.DNSNames, leaf.KeyUsage, leaf.ExtKeyUsage = names, x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, signed, private.Public(), caPrivate)
	if err != nil {
		return nil, nil, nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, nil, nil, err
	}
	encode := func(kind string, der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}) }
	return encode("CERTIFICATE", caDER), encode("CERTIFICATE", leafDER), encode("PRIVATE KEY", keyDER), nil
}

// readPair reads the Secret, or creates it with the first pair.
func (k *keeper) readPair(ctx context.Context) (*pair, error) {
	p := &pair{secret: &core.Secret{}, names: []string{k.service + "." + k.namespace + ".svc"}}
	err := k.client.Get(ctx, client.ObjectKey{Namespace: k.namespace, Name: k.secret}, p.secret)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("reading Secret %s: %w", k.secret, err)
	}
	if since := p.secret.Annotations[sinceAnnotation]; since != k.stage || k.stageBegan.IsZero() {
		k.stage, k.stageBegan = since, k.now()
	}
	p.began = k.stageBegan
	if err == nil && p.leaf(certificateKey) != nil {
		return p, nil
	}
	if err == nil { // it exists and is empty
		if p.secret.Data == nil {
			p.secret.Data = map[string][]byte{}
		}
		return p, k.proceed(ctx, p, false)
	}
	p.secret = &core.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: k.namespace, Name: k.secret}, Type: core.SecretTypeTLS, Data: map[string][]byte{},
	}
	if _, err := p.step(k.now(), false); err != nil {
		return nil, err
	}
	if err := k.client.Create(ctx, p.secret); err != nil {
		return nil, fmt.Errorf("creating Secret %s: %w", k.secret, err)
	}
	k.log.Info("issued a certificate", "secret", k.secret, "names", p.names)
	return p, nil
}

// proceed moves the pair to its next stage if it is time.
func (k *keeper) proceed(ctx context.Context, p *pair, trusted bool) error {
	changed, err := p.step(k.now(), trusted)
	if err != nil || !changed {
		return err
	}
	if err := k.client.Update(ctx, p.secret); err != nil {
		return fmt.Errorf("writing Secret %s: %w", k.secret, err)
	}
	k.log.Info("the certificate's Secret changed", "secret", k.secret)
	return nil
}
