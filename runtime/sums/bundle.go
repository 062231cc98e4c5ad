package sums

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

// mediaType is the media type of the bundles that cosign 3 writes, and cosign 2 with
// --new-bundle-format.
const mediaType = "application/vnd.dev.sigstore.bundle.v0.3+json"

// bundle is a Sigstore bundle, sigstore_bundle.proto as JSON, reduced to the fields that matter
// here. The transparency log, timestamps and the hint at the key are ignored, because every key of
// --verify-key is tried.
type bundle struct {
	MediaType            string
	VerificationMaterial struct {
		PublicKey            json.RawMessage
		Certificate          json.RawMessage
		X509CertificateChain json.RawMessage
	}
	MessageSignature *struct {
		MessageDigest struct {
			Algorithm string
			Digest    []byte
		}
		Signature []byte
	}
	DSSEEnvelope    json.RawMessage
	Base64Signature json.RawMessage // of the format of cosign 1 and 2
}

// isBundle reports whether the content of a signature file is a bundle or is meant to be one. No
// other signature begins with a brace: base64 does not have one, ASN.1 begins with 0x30, and 64
// bytes of Ed25519 are hardly ever JSON.
func isBundle(content []byte) bool {
	content = bytes.TrimSpace(content)
	return len(content) > 0 && content[0] == '{' && json.Valid(content)
}

// bundledSignature returns the raw signature in a bundle, which a key made of content.
//
// The error describes the file, and the remedy.
func bundledSignature(content, file []byte) ([]byte, error) {
	var b bundle
	if err := json.Unmarshal(file, &b); err != nil {
		return nil, fmt.Errorf("cannot be read as a Sigstore bundle: %w", err)
	}
	material := b.VerificationMaterial
	switch {
	case b.Base64Signature != nil:
		return nil, errors.New("is a bundle in the old format of cosign: sign with cosign 3, or with cosign 2 and --new-bundle-format")
	case b.MediaType != mediaType:
		return nil, fmt.Errorf("has the media type %.80q, not %s: sign with cosign sign-blob of version 3", b.MediaType, mediaType)
	case b.DSSEEnvelope != nil:
		return nil, errors.New("is an attestation (a DSSE envelope): sign with cosign sign-blob, not attest-blob")
	case material.Certificate != nil || material.X509CertificateChain != nil:
		return nil, errors.New("is signed by a certificate: sign with a key (cosign sign-blob --key), not keyless")
	case b.MessageSignature == nil || material.PublicKey == nil:
		return nil, errors.New("has no signature by a key: sign with cosign sign-blob --key")
	}
	// The signature does not cover this digest. Comparing it distinguishes a wrong file from a
	// wrong key.
	if digest := b.MessageSignature.MessageDigest; digest.Algorithm == "SHA2_256" {
		if sum := sha256.Sum256(content); !bytes.Equal(digest.Digest, sum[:]) {
			return nil, fmt.Errorf("was made of another %s: sign the list that is there", ListFile)
		}
	}
	return b.MessageSignature.Signature, nil
}
