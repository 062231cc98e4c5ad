package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/widgets"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// audits returns the log lines with the field audit, each as the fields that an auditor reads.
func (l *lines) audits(t *testing.T) (lines []string) {
	t.Helper()
	for line := range strings.Lines(l.seen.String()) {
		var fields map[string]any
		if !strings.HasPrefix(line, "{") || !strings.Contains(line, `"audit"`) {
			continue
		}
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if fields["time"] == nil {
			t.Errorf("no time in %s", line)
		}
		text := fmt.Sprint(fields["audit"], ": ", fields["msg"])
		for _, name := range []string{"module", "file", "sha256", "sidecar", "before", "signed"} {
			if value, there := fields[name]; there {
				text += fmt.Sprintf(" %s=%v", name, value)
			}
		}
		lines = append(lines, text)
	}
	return lines
}

// TestAuditTrail tests that each change of a module, its sidecar, a definition, the signed list and
// the certificate is one log line with whole digests and the signer.
func TestAuditTrail(t *testing.T) {
	sum := func(content string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(content))) }
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	key := filepath.Join(dir, "release.pub")
	if err := os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	fingerprint := func(certificate []byte) string {
		block, _ := pem.Decode(certificate)
		return sum(string(block.Bytes))
	}
	certificate := fingerprint(writePair(t, dir))
	p := launch(t, "--verify-key", key, "--tls-cert-file", filepath.Join(dir, "tls.crt"), "--tls-key-file", filepath.Join(dir, "tls.key"))
	p.waitListening(t)

	const module = "Widget.example.com_v1_v2"
	files := map[string]string{}
	// change puts files into the module directory, signs all of them, and waits for a log line.
	change := func(until string, changed map[string]string) (list string) {
		t.Helper()
		for name, content := range changed {
			files[name] = content
			widgets.Put(t, p.modules, name, content)
		}
		for name, content := range files {
			list += sum(content) + "  " + name + "\n"
		}
		widgets.Put(t, p.modules, sums.SignatureFile, string(ed25519.Sign(private, []byte(list))))
		widgets.Put(t, p.modules, sums.ListFile, list)
		p.output.until(t, until)
		return list
	}
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	one, two, sidecar := read("one.wasm"), read("two.wasm"), "limits: {callTimeout: 1s}\n"
	first, second := widgets.Definition("string"), widgets.Definition("integer")
	signer := " signed=ed25519:" + sum(string(der))[:12]
	var want []string
	loaded := func(line, until string, changed map[string]string) {
		t.Helper()
		list := change(until, changed)
		want = append(want, "list: using only the files that SHA256SUMS lists sha256="+sum(list)+signer, line)
	}
	want = append(want, "certificate: serving certificate sha256="+certificate+" signed=")
	loaded("module: module loaded module="+module+".wasm sha256="+sum(one)+signer, "module loaded", map[string]string{module + ".wasm": one})
	loaded("schema: schema loaded file="+widgets.File+" sha256="+sum(first)+signer, "schema loaded", map[string]string{widgets.File: first})
	loaded("module: module replaced module="+module+".wasm sha256="+sum(two)+" before="+sum(one)+signer, "module replaced", map[string]string{module + ".wasm": two})
	loaded("module: module replaced module="+module+".wasm sha256="+sum(two)+" sidecar="+sum(sidecar)+" before="+sum(two)+signer, "module replaced", map[string]string{module + ".yaml": sidecar})
	loaded("schema: schema loaded file="+widgets.File+" sha256="+sum(second)+" before="+sum(first)+signer, "schema loaded", map[string]string{widgets.File: second})
	loaded("module: module taken out of service module="+module+".wasm before="+sum(two), "out of service", map[string]string{module + ".removed": ""})
	loaded("schema: schema removed: its file was deleted or taken out of service file="+widgets.File+" before="+sum(second), "schema removed", map[string]string{"widgets.example.com.crd.removed": ""})
	next := fingerprint(writePair(t, dir))
	p.output.until(t, "serving certificate")
	want = append(want, "certificate: serving certificate sha256="+next+" before="+certificate+" signed=")

	got := p.output.audits(t)
	// The list and what it allows are logged by two goroutines.
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the audit trail is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
