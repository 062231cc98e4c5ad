package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestKrewManifest goes through the manifest as krew does: each platform's archive has the checksum,
// the program and the licences.
func TestKrewManifest(t *testing.T) {
	r := release{"v1.2.3", "revision", t.TempDir()}
	for _, p := range targets() {
		must(t, os.WriteFile(r.path(p.file(r.version)), []byte(p.os+p.arch), 0o755))
	}
	must(t, os.WriteFile(r.path(licensesFile), []byte("the licences"), 0o644))
	must(t, r.krew(context.Background()))
	text, err := os.ReadFile(r.path(krewManifest))
	must(t, err)
	var plugin struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
		Spec             struct {
			Version, Homepage, ShortDescription, Description string
			Platforms                                        []struct {
				Selector         struct{ MatchLabels struct{ OS, Arch string } }
				URI, SHA256, Bin string
			}
		}
	}
	must(t, yaml.UnmarshalStrict(text, &plugin))
	if plugin.Kind != "Plugin" || plugin.Metadata.Name != "crosswalk" || plugin.Spec.Version != "v1.2.3" || len(plugin.Spec.ShortDescription) > 50 || plugin.Spec.Description == "" {
		t.Errorf("%+v", plugin)
	}
	var platforms []string
	for _, p := range plugin.Spec.Platforms {
		os, arch := p.Selector.MatchLabels.OS, p.Selector.MatchLabels.Arch
		platforms = append(platforms, os+"/"+arch)
		if !strings.HasPrefix(p.URI, "https://github.com/crosswalk-gateway/crosswalk/releases/download/v1.2.3/kubectl-") {
			t.Errorf("%s: %s", os, p.URI)
		}
		content := archived(t, r.path(path.Base(p.URI)), p.SHA256)
		if string(content[p.Bin]) != os+arch || string(content[licensesFile]) != "the licences" {
			t.Errorf("%s/%s has %q", os, arch, content)
		}
	}
	if want := []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}; !slices.Equal(platforms, want) {
		t.Errorf("platforms %q, want %q", platforms, want)
	}
}

// archived reads a .tar.gz and compares its checksum.
func archived(t *testing.T, file, sum string) map[string][]byte {
	t.Helper()
	packed, err := os.ReadFile(file)
	must(t, err)
	if got := sha256.Sum256(packed); hex.EncodeToString(got[:]) != sum {
		t.Errorf("%s has the checksum %x, not %s", path.Base(file), got, sum)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	must(t, err)
	files := map[string][]byte{}
	for archive := tar.NewReader(unpacked); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		must(t, err)
		files[header.Name], err = io.ReadAll(archive)
		must(t, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLicenceCopies: package indexes show a package's documentation if the licence lies beside it or
// above it in its module.
func TestLicenceCopies(t *testing.T) {
	inRepository(t)
	want, err := os.ReadFile("sdk/LICENSE")
	must(t, err)
	for _, dir := range []string{"host", "runtime", "sdk/assemblyscript", "sdk/c", "sdk/cpp", "sdk/go", "sdk/javascript", "sdk/rust", "sdk/zig"} {
		if got, err := os.ReadFile(path.Join(dir, "LICENSE")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s/LICENSE is not sdk/LICENSE: %v", dir, err)
		}
	}
}
