package sums

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pair is a key that signs, and its public half in PEM.
type pair struct {
	private crypto.Signer
	public  []byte
}

func newPair(t testing.TB, private crypto.Signer, err error) pair {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	return pair{private, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})}
}

func ed(t testing.TB) pair {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	return newPair(t, private, err)
}

func p256(t testing.TB) pair {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return newPair(t, private, err)
}

// sign signs as openssl does: Ed25519 the content itself, the others its SHA-256.
func (p pair) sign(t testing.TB, content []byte) []byte {
	t.Helper()
	message, hash := content, crypto.Hash(0)
	if _, is := p.private.(ed25519.PrivateKey); !is {
		sum := sha256.Sum256(content)
		message, hash = sum[:], crypto.SHA256
	}
	signature, err := p.private.Sign(rand.Reader, message, hash)
	if err != nil {
		t.Fatal(err)
	}
	return signature
}

func keys(t testing.TB, pairs ...pair) Keys {
	t.Helper()
	var content []byte
	for _, p := range pairs {
		content = append(content, p.public...)
	}
	k, err := ReadKeys(content)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestVerify(t *testing.T) {
	list := []byte(digest + "  K.g_v1_v2.wasm\n")
	for name, p := range map[string]pair{"ed25519": ed(t), "ecdsa": p256(t)} {
		other, both := p256(t), keys(t, ed(t), p, p256(t))
		raw := p.sign(t, list)
		coded := base64.StdEncoding.EncodeToString(raw)
		for form, signature := range map[string][]byte{"raw": raw, "base64": []byte(coded), "base64 with an end of line": []byte(coded + "\n")} {
			for _, k := range []Keys{keys(t, p), both} {
				if by, err := k.verify(list, SignatureFile, signature); err != nil || !strings.HasPrefix(by, name+":") || !strings.Contains(k.String(), by) {
					t.Errorf("%s, %s: signed by %q, %v", name, form, by, err)
				}
			}
		}
		changed := slices.Concat(list, []byte("\n"))
		for why, tc := range map[string]struct {
			keys               Keys
			content, signature []byte
		}{
			"another list":     {both, changed, raw},
			"an unknown key":   {keys(t, other), list, raw},
			"another key's":    {keys(t, p), list, other.sign(t, list)},
			"changed by a bit": {both, list, flip(raw, len(raw)-1)},
		} {
			want := fmt.Sprintf("SHA256SUMS.sig is not a signature of this SHA256SUMS by a key of --verify-key (%v)", tc.keys)
			if by, err := tc.keys.verify(tc.content, SignatureFile, tc.signature); by != "" || err == nil || err.Error() != want {
				t.Errorf("%s, %s: signed by %q, %v", name, why, by, err)
			}
		}
		for why, signature := range map[string][]byte{
			"truncated in half": raw[:4], "empty": nil, "text": []byte("-----BEGIN SIGNATURE-----"), "doubled": slices.Concat(raw, raw), "a large file": make([]byte, 1<<20),
		} {
			want := fmt.Sprintf("SHA256SUMS.sig, of %d bytes, is not a signature: 64 bytes of Ed25519, ASN.1 of ECDSA, the base64 of either, or a Sigstore bundle", len(signature))
			if by, err := both.verify(list, SignatureFile, signature); by != "" || err == nil || err.Error() != want {
				t.Errorf("%s, %s: signed by %q, %v, want %s", name, why, by, err, want)
			}
		}
		for n := range raw { // cut off anywhere, it is never one
			if by, err := both.verify(list, SignatureFile, raw[:n]); by != "" || err == nil {
				t.Errorf("%s: the first %d bytes are taken for a signature", name, n)
			}
		}
	}
}

func flip(content []byte, at int) []byte {
	content = slices.Clone(content)
	content[at] ^= 1
	return content
}

func TestReadKeysErrors(t *testing.T) {
	good := string(ed(t).public)
	block := func(kind string, der []byte, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	private, err := x509.MarshalPKCS8PrivateKey(ed(t).private)
	rsaKey, rsaErr := rsa.GenerateKey(rand.Reader, 2048)
	p384, p384Err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	for name, tc := range map[string]struct{ content, want string }{
		"empty":       {"", "it has no PEM block PUBLIC KEY: make one with openssl pkey -in KEY.pem -pubout, or use cosign.pub"},
		"no PEM":      {"ssh-ed25519 AAAA me", "it has no PEM block PUBLIC KEY: make one with openssl pkey -in KEY.pem -pubout, or use cosign.pub"},
		"large":       {strings.Repeat("x", 65537), "it has 65537 bytes; a file with keys may have 65536"},
		"private":     {block("PRIVATE KEY", private, err), "it has a private key, which the gateway must not have: give it the public one (openssl pkey -in KEY.pem -pubout)"},
		"cosign's":    {block("ENCRYPTED SIGSTORE PRIVATE KEY", []byte("{}"), nil), "it has a private key, which the gateway must not have: give it the public one (openssl pkey -in KEY.pem -pubout)"},
		"certificate": {block("CERTIFICATE", []byte("x"), nil), "it has a certificate: give the gateway the public key in it (openssl x509 -in CERT.pem -pubkey -noout)"},
		"other":       {block("SSH2 PUBLIC KEY", []byte("x"), nil), `it has a PEM block "SSH2 PUBLIC KEY": only PUBLIC KEY is read (openssl pkey -in KEY.pem -pubout)`},
		"garbage":     {block("PUBLIC KEY", []byte("x"), nil), "its public key cannot be read: asn1: structure error: tags don't match (16 vs {class:1 tag:24 length:120 isCompound:true}) {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} publicKeyInfo @2"},
		"RSA":         {string(newPair(t, rsaKey, rsaErr).public), "it has a key of type *rsa.PublicKey: Ed25519 and ECDSA on P-256 are understood"},
		"P-384":       {string(newPair(t, p384, p384Err).public), "it has an ECDSA key on P-384: Ed25519 and ECDSA on P-256 are understood"},
		"damaged":     {good + strings.Replace(good, "MC", "(", 1), "it has a PEM block that is damaged"},
		"cut off":     {good + good[:60], "it has a PEM block that is damaged"},
		"cut before":  {good[:60] + good, "it has a PEM block that is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			if k, err := ReadKeys([]byte(tc.content)); k != nil || err == nil || name != "garbage" && err.Error() != tc.want || name == "garbage" && !strings.HasPrefix(err.Error(), "its public key cannot be read: ") {
				t.Errorf("%v, error %v\nwant %s", k, err, tc.want)
			}
		})
	}
	if k, err := ReadKeys([]byte("# of 2026\n" + good + "# of 2027\n" + string(p256(t).public))); err != nil || len(k) != 2 {
		t.Errorf("two keys and comments: %v, %v", k, err)
	}
}

// TestVerifyOpenSSL verifies signatures that openssl makes, by the commands of docs/use/tasks.md.
func TestVerifyOpenSSL(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip(err)
	}
	for name, commands := range map[string]string{
		"ed25519": `openssl genpkey -algorithm ed25519 -out key.pem
			openssl pkey -in key.pem -pubout -out key.pub
			openssl pkeyutl -sign -rawin -inkey key.pem -in SHA256SUMS -out SHA256SUMS.sig`,
		"ecdsa": `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
			openssl pkey -in key.pem -pubout -out key.pub
			openssl dgst -sha256 -sign key.pem -out SHA256SUMS.sig SHA256SUMS`,
		"ecdsa, base64": `openssl ecparam -name prime256v1 -genkey -noout -out key.pem
			openssl ec -in key.pem -pubout -out key.pub
			openssl dgst -sha256 -sign key.pem SHA256SUMS | openssl base64 -A > SHA256SUMS.sig`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			list := []byte(digest + "  K.g_v1_v2.wasm\n")
			if err := os.WriteFile(filepath.Join(dir, ListFile), list, 0o644); err != nil {
				t.Fatal(err)
			}
			run := exec.Command("sh", "-ec", commands)
			run.Dir = dir
			if out, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			read := func(name string) []byte {
				content, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				return content
			}
			k, err := ReadKeys(read("key.pub"))
			if err != nil {
				t.Fatal(err)
			}
			if by, err := k.verify(list, SignatureFile, read(SignatureFile)); err != nil || by != k.String() {
				t.Errorf("signed by %q, %v", by, err)
			}
		})
	}
}

// TestRawSignatures: a signature by its length and first byte, raw and as base64.
func TestRawSignatures(t *testing.T) {
	for _, test := range []struct {
		first byte
		n     int
		ok    bool
	}{{0, 64, true}, {'A', 64, true}, {0x30, 7, false}, {0x30, 8, true}, {0x30, 72, true}, {0x30, 73, false}, {0x31, 70, false}, {0, 63, false}, {0, 0, false}} {
		raw := bytes.Repeat([]byte{test.first}, test.n)
		if test.n > 4 {
			raw[test.n-1] = 0 // the first bytes alone are base64
		}
		for _, file := range [][]byte{raw, []byte(base64.StdEncoding.EncodeToString(raw) + "\n")} {
			if got, err := rawSignature(file); (err == nil) != test.ok || err == nil && !bytes.Equal(got, raw) {
				t.Errorf("%d bytes that begin %#x, in a file of %d: %v, %v", test.n, test.first, len(file), got, err)
			}
		}
	}
}
