package main

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// TestAirGap carries a release and a module by deploy/airgap.sh to a registry: the images arrive with
// the digests of the release's guide, the printed commands name existing files, and a changed archive
// is refused.
func TestAirGap(t *testing.T) {
	if _, err := exec.LookPath("skopeo"); err != nil {
		t.Skip("skopeo is not installed (apt-get install skopeo)")
	}
	inRepository(t)
	r := release{"v1.2.3", strings.Repeat("a", 40), t.TempDir()}
	for _, p := range targets() { // the images need a file for each architecture; their content does not matter here
		if err := os.WriteFile(r.path(p.file(r.version)), []byte(p.program+p.arch), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(r.path(licensesFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func(context.Context) error{r.images, r.chart, r.guide, r.checksums} {
		if err := step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const module = "CronTab.stable.example.com_v1_v2.wasm"
	modules, archive, dir := t.TempDir(), filepath.Join(t.TempDir(), "airgap.tar"), t.TempDir()
	if err := os.WriteFile(filepath.Join(modules, module), []byte("the module"), 0o644); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	if err := filepath.WalkDir(r.out, func(path string, e os.DirEntry, err error) error { // as downloaded
		if err != nil || e.IsDir() {
			return err
		}
		return os.Chmod(path, 0o644)
	}); err != nil {
		t.Fatal(err)
	}
	keys := t.TempDir()
	openssl := func(args ...string) {
		t.Helper()
		if text, err := exec.Command("openssl", args...).CombinedOutput(); err != nil {
			t.Fatalf("openssl %q: %v: %s", args, err, text)
		}
	}
	for _, owner := range []string{"ours", "theirs"} {
		openssl("genpkey", "-algorithm", "ed25519", "-out", filepath.Join(keys, owner+".pem"))
		openssl("pkey", "-in", filepath.Join(keys, owner+".pem"), "-pubout", "-out", filepath.Join(keys, owner+".pub"))
	}
	sums := r.path("SHA256SUMS")
	openssl("pkeyutl", "-sign", "-rawin", "-inkey", filepath.Join(keys, "ours.pem"), "-in", sums, "-out", sums+".sig")
	key := filepath.Join(keys, "ours.pub")
	run := func(args ...string) (string, error) {
		command := exec.Command("bash", append([]string{r.path("airgap.sh")}, args...)...)
		command.Env = append(os.Environ(), "SKOPEO_FLAGS=--dest-tls-verify=false", "RELEASE_KEY="+key)
		text, err := command.CombinedOutput()
		return string(text), err
	}
	if text, err := run("save", r.out, modules, archive); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	text, err := run("load", archive, host+"/crosswalk", dir)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	guide, err := os.ReadFile(r.path("README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range imaged() {
		ref, err := name.ParseReference(host + "/crosswalk/" + program + ":v1.2.3")
		if err != nil {
			t.Fatal(err)
		}
		index, err := remote.Index(ref)
		if err != nil {
			t.Fatal(err)
		}
		digest, err := index.Digest()
		if err != nil || !strings.Contains(string(guide), "| "+program+" | `"+digest.String()+"` |") {
			t.Errorf("%s has digest %s in the registry, which the guide does not name: %v\n%s", program, digest, err, guide)
		}
		if program == "gateway" && !strings.Contains(text, "image.digest="+digest.String()+"\n") {
			t.Errorf("the printed command does not have the gateway's digest %s:\n%s", digest, text)
		}
	}
	// The chart mounts this Secret by default.
	if !strings.Contains(text, "create secret tls crosswalk-tls") {
		t.Errorf("the printed commands do not make the Secret of the certificate:\n%s", text)
	}
	for _, file := range []string{"crosswalk-v1.2.3-linux-amd64", "crosswalk-chart-1.2.3.tgz", "modules/" + module} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil || !strings.Contains(text, dir) {
			t.Errorf("%v:\n%s", err, text)
		}
	}

	if info, err := os.Stat(filepath.Join(dir, "crosswalk-v1.2.3-linux-amd64")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("the printed commands run a program that is not executable: %v %v", info, err)
	}
	if text, err := run("load", archive, host+"/crosswalk", dir); err == nil || !strings.Contains(text, dir+" is not empty") {
		t.Errorf("a directory with another release: %v: %s", err, text)
	}

	key = filepath.Join(keys, "theirs.pub")
	for _, args := range [][]string{{"save", r.out, modules, filepath.Join(t.TempDir(), "a.tar")}, {"load", archive, host + "/other", t.TempDir()}} {
		if text, err := run(args...); err == nil || !strings.Contains(text, "is not a signature by "+key) || strings.Contains(text, "helm install") {
			t.Errorf("%s with another's key: %v: %s", args[0], err, text)
		}
	}
	key = ""
	if text, err := run("load", archive, host+"/other", t.TempDir()); err != nil || !strings.Contains(text, "signature is not verified: RELEASE_KEY is not set\n") {
		t.Errorf("without a key: %v: %s", err, text)
	}
	key = filepath.Join(keys, "ours.pub")

	content, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, bytes.ReplaceAll(content, []byte("the module"), []byte("not module")), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := run("load", archive, host+"/other", t.TempDir()); err == nil || !strings.Contains(text, "FAILED") || strings.Contains(text, "helm install") {
		t.Errorf("a changed archive: %v: %s", err, text)
	}
	for _, further := range []string{"crosswalk-v9-linux-amd64", "modules/$(id)"} {
		if err := os.WriteFile(archive, withFile(t, content, "./"+further), 0o644); err != nil {
			t.Fatal(err)
		}
		if text, err := run("load", archive, host+"/other", t.TempDir()); err == nil || !strings.Contains(text, "does not list ./"+further+"\n") || strings.Contains(text, "helm install") {
			t.Errorf("an archive with a file that its list does not have: %v: %s", err, text)
		}
	}
	// Somebody who changes an image and the archive's list cannot change the release's.
	unpacked := t.TempDir()
	for _, line := range []string{"tar -xf $1", "echo changed > gateway-v1.2.3-image.tar", "find . -type f ! -path ./SHA256SUMS | sort | xargs sha256sum > SHA256SUMS", "tar -cf $1 ."} {
		command := exec.Command("bash", "-c", line, "bash", archive)
		if command.Dir = unpacked; line == "tar -xf $1" {
			if err := os.WriteFile(archive, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, text)
		}
	}
	if text, err := run("load", archive, host+"/other", t.TempDir()); err == nil || !strings.Contains(text, "gateway-v1.2.3-image.tar: FAILED") || strings.Contains(text, "helm install") {
		t.Errorf("a changed image in a list of its own: %v: %s", err, text)
	}
	if err := os.WriteFile(r.path("gateway-v1.2.3-image.tar"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := run("save", r.out, modules, archive); err == nil || !strings.Contains(text, "FAILED") {
		t.Errorf("a changed release: %v: %s", err, text)
	}
}

// withFile returns an archive with one more file.
func withFile(t *testing.T, archive []byte, file string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := r.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = w.WriteHeader(header)
		}
		if err == nil {
			_, err = io.Copy(w, r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.WriteHeader(&tar.Header{Name: file, Mode: 0o755}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
