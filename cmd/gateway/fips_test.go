package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/widgets"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// TestFIPS tests that a gateway makes its certificate, verifies a release, keeps compiled code and
// converts with approved cryptography alone: fips140=only makes every other algorithm fail.
func TestFIPS(t *testing.T) {
	t.Setenv("GODEBUG", "fips140=only")
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "release.pub")
	if err := os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("testdata/one.wasm")
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, "--verify-key", key, "--compile-cache", filepath.Join(t.TempDir(), "cache"))
	if !strings.Contains(p.output.seen.String(), `"fips140":"`) {
		t.Errorf("the gateway does not log that it runs in FIPS mode:\n%s", p.output.seen.String())
	}
	list := fmt.Sprintf("%x  Widget.example.com_v1_v2.wasm\n", sha256.Sum256(content))
	widgets.Put(t, p.modules, sums.SignatureFile, string(ed25519.Sign(private, []byte(list))))
	widgets.Put(t, p.modules, sums.ListFile, list)
	p.install(t, "one.wasm")
	p.reviewUntil(t, `{"module":"one"}, <nil>`)
}
