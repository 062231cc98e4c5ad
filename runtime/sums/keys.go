package sums

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// Keys are the public keys whose signatures are accepted. They do not change once read.
type Keys []key

type key struct {
	id      string // see ID
	ed25519 ed25519.PublicKey
	ecdsa   *ecdsa.PublicKey
}

const (
	maxKeys      = 64 << 10 // bytes of a file with keys: some 300 of them
	maxSignature = 4 << 10  // bytes of a file with a signature; the longest that is understood has 96
	maxBundle    = 64 << 10 // bytes of a bundle: some 400 without, 5,000 with an entry of a transparency log
)

// ReadKeys reads a PEM file with one or more public keys, each Ed25519 or ECDSA P-256 in a block
// PUBLIC KEY, as openssl and cosign write it. Text between the blocks is a comment.
//
// The error describes the unexpected content and the remedy.
func ReadKeys(content []byte) (Keys, error) {
	if len(content) > maxKeys {
		return nil, fmt.Errorf("it has %d bytes; a file with keys may have %d", len(content), maxKeys)
	}
	var keys Keys
	for rest := content; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			if bytes.Contains(rest, []byte("-----BEGIN")) {
				return nil, errors.New("it has a PEM block that is damaged")
			}
			break
		}
		k, err := readKey(block)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	// One block inside of another's damaged text would be skipped by the decoder without a word.
	if begun := bytes.Count(content, []byte("-----BEGIN")); begun != len(keys) {
		return nil, errors.New("it has a PEM block that is damaged")
	}
	if len(keys) == 0 {
		return nil, errors.New("it has no PEM block PUBLIC KEY: make one with openssl pkey -in KEY.pem -pubout, or use cosign.pub")
	}
	return keys, nil
}

func readKey(block *pem.Block) (key, error) {
	switch {
	case strings.HasSuffix(block.Type, "PRIVATE KEY"):
		return key{}, errors.New("it has a private key, which the gateway must not have: give it the public one (openssl pkey -in KEY.pem -pubout)")
	case block.Type == "CERTIFICATE":
		return key{}, errors.New("it has a certificate: give the gateway the public key in it (openssl x509 -in CERT.pem -pubkey -noout)")
	case block.Type != "PUBLIC KEY":
		return key{}, fmt.Errorf("it has a PEM block %.40q: only PUBLIC KEY is read (openssl pkey -in KEY.pem -pubout)", block.Type)
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return key{}, fmt.Errorf("its public key cannot be read: %w", err)
	}
	sum := sha256.Sum256(block.Bytes)
	id := hex.EncodeToString(sum[:6])
	switch public := public.(type) {
	case ed25519.PublicKey:
		return key{id: "ed25519:" + id, ed25519: public}, nil
	case *ecdsa.PublicKey:
		if public.Curve != elliptic.P256() {
			return key{}, fmt.Errorf("it has an ECDSA key on %s: Ed25519 and ECDSA on P-256 are understood", public.Curve.Params().Name)
		}
		return key{id: "ecdsa:" + id, ecdsa: public}, nil
	}
	return key{}, fmt.Errorf("it has a key of type %T: Ed25519 and ECDSA on P-256 are understood", public)
}

// String lists the algorithm of each key and the first digits of the SHA-256 of its DER, as in
// openssl pkey -pubin -outform DER | sha256sum.
func (k Keys) String() string {
	ids := make([]string, len(k))
	for i := range k {
		ids[i] = k[i].id
	}
	return strings.Join(ids, ", ")
}

// verify finds the key by which a file's signature of content was made. The signature is raw (64
// bytes of Ed25519, or ASN.1 DER of ECDSA over SHA-256), as openssl writes it, or the base64 of
// that, as cosign 2 does, or in a bundle, as cosign 3 does.
func (k Keys) verify(content []byte, name string, signature []byte) (by string, err error) {
	var raw []byte
	if len(signature) <= maxBundle && isBundle(signature) {
		if raw, err = bundledSignature(content, signature); err != nil {
			return "", fmt.Errorf("%s %w", name, err)
		}
	} else if raw, err = rawSignature(signature); err != nil {
		return "", fmt.Errorf("%s, of %d bytes, %w", name, len(signature), err)
	}
	digest := sha256.Sum256(content)
	for _, one := range k {
		if one.ed25519 != nil && len(raw) == ed25519.SignatureSize && ed25519.Verify(one.ed25519, content, raw) ||
			one.ecdsa != nil && ecdsa.VerifyASN1(one.ecdsa, digest[:], raw) {
			return one.id, nil
		}
	}
	return "", fmt.Errorf("%s is not a signature of this %s by a key of --verify-key (%v)", name, ListFile, k)
}

// rawSignature takes base64 off, if it is on. No raw one is base64 text: ASN.1 has a 2, for a
// number, where base64 has letters, and not all of 64 random bytes are letters. The error is one of
// a file that cannot be a signature.
func rawSignature(signature []byte) (raw []byte, err error) {
	raw = signature
	if len(signature) <= maxSignature {
		if decoded, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(signature))); err == nil && len(decoded) > 0 {
			raw = decoded
		}
	}
	const sequence = 0x30 // how ASN.1 begins both numbers of an ECDSA signature; 8 bytes are the fewest, 72 the most on P-256
	if len(raw) == ed25519.SignatureSize || len(raw) >= 8 && len(raw) <= 72 && raw[0] == sequence {
		return raw, nil
	}
	return nil, errors.New("is not a signature: 64 bytes of Ed25519, ASN.1 of ECDSA, the base64 of either, or a Sigstore bundle")
}
