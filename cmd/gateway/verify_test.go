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

// TestVerifyKey: with --verify-key a module serves once a signed SHA256SUMS lists it, and every
// page shows the reason until then.
func TestVerifyKey(t *testing.T) {
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
	id := fmt.Sprintf("ed25519:%x", sha256.Sum256(der))[:20]

	p := start(t, "--verify-key", key)
	p.install(t, "one.wasm")
	const unlisted = "there is no SHA256SUMS, which --verify-key demands: write it with sha256sum, and sign it"
	if !strings.Contains(p.output.seen.String(), unlisted) { // the first scan may end before the gateway listens
		p.output.until(t, unlisted)
	}
	p.reviewUntil(t, ", Failed: no module converts Widget.example.com from v1 to v2: module Widget.example.com_v1_v2.wasm exists but is not loaded: "+unlisted)

	content, err := os.ReadFile("testdata/one.wasm")
	if err != nil {
		t.Fatal(err)
	}
	list := fmt.Sprintf("%x  Widget.example.com_v1_v2.wasm\n", sha256.Sum256(content))
	widgets.Put(t, p.modules, sums.SignatureFile, string(ed25519.Sign(private, []byte(list))))
	widgets.Put(t, p.modules, sums.ListFile, list)
	p.reviewUntil(t, `{"module":"one"}, <nil>`)
	if _, text := p.get(t, "/modules"); strings.Count(text, `"signedBy": "`+id+`"`) != 2 || !strings.Contains(text, `"state": "listing"`) {
		t.Errorf("/modules: %s", text)
	}
	if _, text := p.get(t, "/"); strings.Count(text, id) < 2 {
		t.Errorf("the status page does not show who signed: %s", text)
	}
}
