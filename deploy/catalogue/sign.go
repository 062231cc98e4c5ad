package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// publicKey is the file with the key by which a gateway verifies the catalogue.
const publicKey = "catalogue.pub"

// newSigner reads the key that signs, or makes one, and writes its public half.
func newSigner(file, out string) (crypto.Signer, error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	var signer crypto.Signer
	if file == "" {
		made, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		signer = made
	} else {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if signer, err = parseKey(content); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	public, err := x509.MarshalPKIXPublicKey(signer.Public())
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	if _, err := sums.ReadKeys(text); err != nil {
		return nil, fmt.Errorf("a gateway cannot verify signatures of the key: %w", err)
	}
	return signer, os.WriteFile(filepath.Join(out, publicKey), text, 0o644)
}

func parseKey(content []byte) (crypto.Signer, error) {
	block, _ := pem.Decode(content)
	if block == nil {
		return nil, errors.New("it has no private key in PEM: make one with openssl genpkey -algorithm ed25519")
	}
	if block.Type != "PRIVATE KEY" {
		return nil, fmt.Errorf("it has a PEM block %.40q, not PRIVATE KEY: make a key with openssl genpkey; cosign import-key-pair gives cosign the same key", block.Type)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	signer, ok := parsed.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("it has a key of type %T, which cannot sign", parsed)
	}
	return signer, nil
}

// sign writes the list of all files of the catalogue and its signature into every entry. The list is
// the same in all of them, so that a directory can have several entries. The same files and key give
// the same signature, so that an entry's digest changes only with the catalogue.
func (o options) sign(signer crypto.Signer, entries []*entry) error {
	var lines []string
	for _, e := range entries {
		if len(e.Reasons) > 0 {
			continue
		}
		files, err := os.ReadDir(e.dir)
		if err != nil {
			return err
		}
		for _, f := range files {
			if sums.Is(f.Name()) {
				continue
			}
			content, err := os.ReadFile(filepath.Join(e.dir, f.Name()))
			if err != nil {
				return err
			}
			lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(content), f.Name()))
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2*sha256.Size:], b[2*sha256.Size:]) })
	list := []byte(strings.Join(lines, ""))
	signature, err := signatureOf(signer, list)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if len(e.Reasons) > 0 {
			continue
		}
		if err := errors.Join(os.WriteFile(filepath.Join(e.dir, sums.ListFile), list, 0o644),
			os.WriteFile(filepath.Join(e.dir, sums.SignatureFile), signature, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// signatureOf signs a list as cosign sign-blob does: the base64 of the signature.
func signatureOf(signer crypto.Signer, list []byte) ([]byte, error) {
	message, hash := list, crypto.Hash(0)
	if _, ok := signer.Public().(ed25519.PublicKey); !ok {
		digest := sha256.Sum256(list)
		message, hash = digest[:], crypto.SHA256
	}
	signature, err := signer.Sign(nil, message, hash) // without random bytes: RFC 6979
	if err != nil {
		return nil, err
	}
	return []byte(base64.StdEncoding.EncodeToString(signature) + "\n"), nil
}
