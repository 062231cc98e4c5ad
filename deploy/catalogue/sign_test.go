package main

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// TestSign asserts that a gateway accepts the files of each entry, and of several in one directory,
// and that an entry without a verdict is not in the list.
func TestSign(t *testing.T) {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	for _, tc := range []struct {
		name string
		key  any // nil: a new one
	}{{"Ed25519", ed}, {"ECDSA", ec}, {"a new key", nil}} {
		t.Run(tc.name, func(t *testing.T) {
			o := options{out: t.TempDir()}
			if tc.key != nil {
				o.key = keyFile(t, tc.key)
			}
			signer, err := newSigner(o.key, o.out)
			must(t, err)
			both := t.TempDir()
			entries := []*entry{
				{dir: entryDir(t, both, "A.x.io_v1_v2.wasm.zst", "A.x.io_v1_v2.yaml")},
				{dir: entryDir(t, both, "B.x.io_v1_v2.wasm.zst")},
				{dir: entryDir(t, t.TempDir(), "C.x.io_v1_v2.wasm.zst"), Entry: Entry{Reasons: []string{"not equal"}}},
			}
			must(t, o.sign(signer, entries))
			list := read(t, entries[0].dir, sums.ListFile)
			if list != read(t, entries[1].dir, sums.ListFile) || strings.Count(list, "\n") != 3 || strings.Contains(list, "C.x.io") {
				t.Errorf("the list is %q", list)
			}
			signature := read(t, entries[0].dir, sums.SignatureFile)
			must(t, o.sign(signer, entries[:2]))
			if again := read(t, entries[0].dir, sums.SignatureFile); again != signature {
				t.Error("a second signature of the same files differs")
			}
			keys, err := sums.ReadKeys([]byte(read(t, o.out, publicKey)))
			must(t, err)
			for _, f := range []string{sums.ListFile, sums.SignatureFile} {
				must(t, os.WriteFile(filepath.Join(both, f), []byte(read(t, entries[0].dir, f)), 0o600))
			}
			for _, dir := range []string{entries[0].dir, entries[1].dir, both} {
				snapshot, err := watch.Read(dir, watch.ReadLimits{Quiet: time.Nanosecond}, func(string) bool { return true })
				must(t, err)
				check := sums.Of(snapshot, keys, false)
				if _, by := check.Listing(); by == "" {
					t.Errorf("no signature: %v", check.Problem())
				}
				for _, f := range snapshot.Files {
					if err := check.File(f); err != nil && !sums.Is(f.Name) {
						t.Error(err)
					}
				}
			}
		})
	}
}

func TestSignRefusesKeys(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	must(t, err)
	text := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(text, []byte("key"), 0o600))
	cosign := filepath.Join(t.TempDir(), "cosign.key")
	must(t, os.WriteFile(cosign, pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED SIGSTORE PRIVATE KEY"}), 0o600))
	for _, tc := range []struct{ file, want string }{
		{keyFile(t, rsaKey), "a gateway cannot verify signatures of the key: it has a key of type *rsa.PublicKey"},
		{keyFile(t, p384), "a gateway cannot verify signatures of the key: it has an ECDSA key on P-384"},
		{text, "it has no private key in PEM: make one with openssl genpkey"},
		{cosign, `it has a PEM block "ENCRYPTED SIGSTORE PRIVATE KEY", not PRIVATE KEY`},
	} {
		if _, err := newSigner(tc.file, t.TempDir()); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("got %v, want %q", err, tc.want)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func keyFile(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	file := filepath.Join(t.TempDir(), "key.pem")
	must(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	return file
}

// entryDir makes a directory with files, and writes them to another one, too.
func entryDir(t *testing.T, other string, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		must(t, os.WriteFile(filepath.Join(dir, f), []byte(f), 0o600))
		must(t, os.WriteFile(filepath.Join(other, f), []byte(f), 0o600))
	}
	return dir
}

func read(t *testing.T, dir, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, file))
	must(t, err)
	return string(content)
}
