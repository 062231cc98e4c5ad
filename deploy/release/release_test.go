package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/crosswalk-gateway/crosswalk/sdk"
)

// inRepository runs a test in the root of the repository, as make release does.
func inRepository(t *testing.T) { t.Chdir(filepath.Join("..", "..")) }

// TestReleaseTwiceGivesSameBytes makes everything but the cross-compiled programs twice, the second
// time in an environment that would change the bytes.
func TestReleaseTwiceGivesSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the gateway")
	}
	inRepository(t)
	var sums [2][]byte
	for i := range sums {
		if i == 1 {
			hostileEnvironment(t)
		}
		r := release{"v1.2.3", strings.Repeat("a", 40), t.TempDir()}
		ctx := context.Background()
		built := target{"gateway", "linux", "amd64"}
		if err := r.build(ctx, built); err != nil {
			t.Fatal(err)
		}
		binary, err := os.ReadFile(r.path(built.file(r.version)))
		if err != nil {
			t.Fatal(err)
		}
		if size := len(binary); size > 20_000_000 {
			t.Errorf("the gateway has %d bytes; at most 20 MB are allowed", size)
		}
		if !bytes.Contains(binary, []byte("v1.2.3")) {
			t.Error("the gateway does not know its version")
		}
		for _, other := range targets() { // the images need a file for each architecture
			if other != built && (other.os == "linux" || other.program == "crosswalk") {
				if err := os.WriteFile(r.path(other.file(r.version)), binary, 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
		licenses := func(ctx context.Context) error { return r.licensesOf(ctx, []target{built}) }
		for _, step := range []func(context.Context) error{licenses, r.krew, r.images, packages(r), r.guide, r.checksums} {
			if err := step(ctx); err != nil {
				t.Fatal(err)
			}
		}
		licensesNameTheBill(t, r, r.path(built.file(r.version)))
		sums[i], err = os.ReadFile(r.path("SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(sums[0], sums[1]) {
		t.Errorf("two runs differ:\n%s\n%s", sums[0], sums[1])
	}
	for _, name := range []string{"gateway-v1.2.3-linux-amd64", "gateway-v1.2.3-linux-amd64.cdx.json", "gateway-v1.2.3-image.tar",
		"controller-v1.2.3-image.tar", "crosswalk-v1.2.3-image.tar", "LICENSES.txt", "README.md", "airgap.sh", "krew-crosswalk.yaml", "kubectl-crosswalk-v1.2.3-windows-amd64.tar.gz", "crosswalk-assemblyscript-1.2.3.tgz", "crosswalk-1.2.3.crate", "crosswalk-sdk-c-1.2.3.tar.gz",
		"crosswalk-chart-1.2.3.tgz"} {
		if !bytes.Contains(sums[0], []byte("  "+name+"\n")) {
			t.Errorf("SHA256SUMS lacks %s:\n%s", name, sums[0])
		}
	}
}

// packages makes all packages; without JavaScript's, if make engine did not run.
func packages(r release) func(context.Context) error {
	if _, err := os.Stat("sdk/javascript/build/engine.wasm"); err == nil {
		return r.packages
	}
	return func(ctx context.Context) error {
		for _, language := range sdk.Languages() {
			if language == "javascript" {
				continue
			}
			if err := r.sdk(language); err != nil {
				return err
			}
		}
		return r.chart(ctx)
	}
}

func TestImageLayoutIsValid(t *testing.T) {
	dir := t.TempDir()
	r := release{"v1.2.3", "revision", dir}
	for _, p := range targets() {
		if err := os.WriteFile(r.path(p.file(r.version)), []byte(p.arch), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(r.path(licensesFile), []byte("the licences"), 0o644); err != nil {
		t.Fatal(err)
	}
	index, err := r.index("gateway")
	if err != nil {
		t.Fatal(err)
	}
	if err := writeLayout(filepath.Join(dir, "layout"), index, r.version, "crosswalk/gateway:v1.2.3"); err != nil {
		t.Fatal(err)
	}
	read, err := layout.ImageIndexFromPath(filepath.Join(dir, "layout"))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(read); err != nil {
		t.Error(err)
	}
	dockerLoads(t, filepath.Join(dir, "layout"), index)
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	for i, arch := range []string{"amd64", "arm64"} {
		if got := manifest.Manifests[i].Platform; got == nil || got.Architecture != arch || got.OS != "linux" {
			t.Errorf("platform %d is %v", i, got)
		}
		img, err := index.Image(manifest.Manifests[i].Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if config.Architecture != arch || config.Config.User != "65532:65532" || config.Config.Entrypoint[0] != "/gateway" {
			t.Errorf("%+v", config)
		}
		if names := filesOf(t, img); !slices.Equal(names, []string{"gateway", licensesFile}) {
			t.Errorf("the image has the files %q", names)
		}
	}
}

// dockerLoads fails if manifest.json names blobs that are not in the layout, or lacks a tag.
func dockerLoads(t *testing.T, dir string, index v1.ImageIndex) {
	t.Helper()
	text, err := dockerManifest(index, "crosswalk/gateway:v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Config           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal(text, &list); err != nil || len(list) != 2 {
		t.Fatalf("%v: %s", err, text)
	}
	for i, arch := range []string{"amd64", "arm64"} {
		if want := []string{"crosswalk/gateway:v1.2.3-" + arch}; !slices.Equal(list[i].RepoTags, want) {
			t.Errorf("the tags are %q, want %q", list[i].RepoTags, want)
		}
		for _, blob := range append(list[i].Layers, list[i].Config) {
			if _, err := os.Stat(filepath.Join(dir, blob)); err != nil {
				t.Error(err)
			}
		}
		if len(list[i].Layers) != 1 {
			t.Errorf("the layers are %q", list[i].Layers)
		}
	}
	outer, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil || !bytes.Contains(outer, []byte(`"io.containerd.image.name": "docker.io/crosswalk/gateway:v1.2.3"`)) {
		t.Errorf("containerd finds no name in %s (%v)", outer, err)
	}
}

func filesOf(t *testing.T, img v1.Image) (names []string) {
	t.Helper()
	content := mutate.Extract(img)
	defer content.Close() //nolint:errcheck // it was only read
	for archive := tar.NewReader(content); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, header.Name)
	}
}

func TestPackagesHaveTheReleasesVersion(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"{\n  \"name\": \"x\",\n  \"version\": \"1.0.0\",\n  \"dependencies\": {\"version\": \"9\"}\n}", `"version": "0.1.0"`},
		{"[package]\nname = \"x\"\nversion = \"1.0.0\"\nrust-version = \"1.82\"\n", "version = \"0.1.0\"\nrust-version = \"1.82\""},
	} {
		if got := string(withVersion([]byte(tc.in), "0.1.0")); !strings.Contains(got, tc.want) || strings.Contains(got, "1.0.0") {
			t.Errorf("%s", got)
		}
	}
}

func TestChartHasTrackedFilesOnly(t *testing.T) {
	inRepository(t)
	entries := []entry{{name: "crosswalk/values.yaml"}, {name: "crosswalk/files/.alerts.yaml.swp"}, {name: "crosswalk/files/alerts.yaml"}}
	got := trackedChart(entries, []string{"deploy/chart/files/alerts.yaml", "deploy/chart/values.yaml"})
	if len(got) != 2 || got[0].name != "crosswalk/values.yaml" || got[1].name != "crosswalk/files/alerts.yaml" {
		t.Errorf("%+v", got)
	}
	r := release{"v1.2.3", "revision", t.TempDir()}
	if err := r.chart(context.Background()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(r.path("crosswalk-chart-1.2.3.tgz"))
	if err != nil || info.Size() < 10_000 {
		t.Errorf("the archive has lost its files: %v, %v", info, err)
	}
}

func TestPackagesCanBePublished(t *testing.T) {
	inRepository(t)
	for _, name := range []string{"assemblyscript/package.json", "javascript/package.json", "rust/Cargo.toml"} {
		content, err := os.ReadFile(filepath.Join("sdk", name))
		if err != nil {
			t.Fatal(err)
		}
		got := publishable(content)
		for _, mark := range []string{"private", "publish", "prepare"} {
			if bytes.Contains(got, []byte(mark)) {
				t.Errorf("%s has %s:\n%s", name, mark, got)
			}
		}
		if filepath.Ext(name) == ".json" && !json.Valid(got) {
			t.Errorf("%s is not JSON:\n%s", name, got)
		}
	}
}

func TestBillNamesTheModulesOfABinary(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "program")
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, content, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := billOfMaterials(copied, "v1.2.3", parts("crosswalk")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(copied + ".cdx.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"bomFormat": "CycloneDX"`,
		`"purl": "pkg:golang/github.com/google/go-containerregistry@v`,
		`"purl": "pkg:golang/stdlib@` + strings.TrimPrefix(runtime.Version(), "go") + `"`,
		`"purl": "pkg:npm/quickjs-wasi@3.6.2"`,
		`"name": "quickjs-ng"`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the bill lacks %s:\n%s", want, text)
		}
	}
}

func TestGoPackage(t *testing.T) {
	if got, want := goPackage("github.com/BurntSushi/toml", "v1.2.3+incompatible"), "pkg:golang/github.com/burntsushi/toml@v1.2.3%2Bincompatible"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRunRefuses(t *testing.T) {
	inRepository(t)
	for _, version := range []string{"", "1.2.3", "v1.2", "v1.2.3 "} {
		if err := run(context.Background(), version, t.TempDir()); err == nil || !strings.Contains(err.Error(), "must be like v0.1.0") {
			t.Errorf("%q: %v", version, err)
		}
	}
}
