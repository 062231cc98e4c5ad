package oci

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// blob is a configuration or a layer, and its descriptor, of which publishManifest fills in the rest.
type blob struct {
	v1.Descriptor
	content string
}

// publish writes the manifest of a Wasm artifact, with layers of the media types and titles.
func publish(t *testing.T, ref, config string, layers ...[3]string) (digest string) {
	t.Helper()
	var blobs []blob
	for _, l := range layers {
		b := blob{v1.Descriptor{MediaType: types.MediaType(l[0])}, l[2]}
		if l[1] != "" {
			b.Annotations = map[string]string{titleAnnotation: l[1]}
		}
		blobs = append(blobs, b)
	}
	return publishManifest(t, ref, blob{v1.Descriptor{MediaType: wasmConfig}, config}, blobs...)
}

// publishManifest writes a manifest as another tool would.
func publishManifest(t *testing.T, ref string, config blob, layers ...blob) (digest string) {
	t.Helper()
	core := artifactCore{config: []byte(config.content), layers: map[v1.Hash]v1.Layer{}}
	m := v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1}
	described := func(b blob) v1.Descriptor {
		layer := static.NewLayer([]byte(b.content), b.MediaType)
		d, err := partial.Descriptor(layer)
		must(t, err)
		core.layers[d.Digest] = layer
		d.Annotations = b.Annotations
		return *d
	}
	m.Config = described(config)
	for _, l := range layers {
		m.Layers = append(m.Layers, described(l))
	}
	var err error
	core.manifest, err = json.Marshal(m)
	must(t, err)
	img, err := partial.CompressedToImage(core)
	must(t, err)
	parsed, err := name.ParseReference(ref)
	must(t, err)
	must(t, remote.Write(parsed, img))
	hash, err := img.Digest()
	must(t, err)
	return hash.String()
}

// TestPullOfFilesWithTypeOfArchives has manifests as oras 1.3 writes them: oras push FILE without a
// media type, of a directory, and of an archive; and an image whose layer has a title.
func TestPullOfFilesWithTypeOfArchives(t *testing.T) {
	const module = "A.x.io_v1_v2.wasm"
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	must(t, w.WriteHeader(&tar.Header{Name: module, Size: 1, Mode: 0o644, Typeflag: tar.TypeReg}))
	_, err := w.Write([]byte("b"))
	must(t, errors.Join(err, w.Close()))
	for _, tc := range []struct {
		name        string
		config      types.MediaType
		annotations map[string]string
		content     string
		want        map[string]string
	}{
		{"a file", emptyConfig, map[string]string{titleAnnotation: module}, "\x00asm", map[string]string{module: "\x00asm"}},
		{"a file of oras 1.0", "application/vnd.unknown.config.v1+json", map[string]string{titleAnnotation: module}, "\x00asm", map[string]string{module: "\x00asm"}},
		{"a packed file", emptyConfig, map[string]string{titleAnnotation: module + ".gz"}, "\x1f\x8b", map[string]string{module + ".gz": "\x1f\x8b"}},
		{"a directory", emptyConfig, map[string]string{titleAnnotation: "modules", unpackAnnotation: "true"}, archive.String(), map[string]string{module: "b"}},
		{"an archive", emptyConfig, map[string]string{titleAnnotation: "modules.tar.gz"}, archive.String(), map[string]string{module: "b"}},
		{"a layer without a title", emptyConfig, nil, archive.String(), map[string]string{module: "b"}},
		{"an image", types.OCIConfigJSON, map[string]string{titleAnnotation: module}, archive.String(), map[string]string{module: "b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			host, dir := serve(t, handler()), t.TempDir()
			publishManifest(t, host+"/m:v1", blob{v1.Descriptor{MediaType: tc.config}, "{}"},
				blob{v1.Descriptor{MediaType: types.OCIUncompressedLayer, Annotations: tc.annotations}, tc.content})
			pull(t, host+"/m:v1", dir, true)
			holds(t, dir, tc.want)
		})
	}
}

// TestPullOfArtifacts has the forms that wash (one layer without a name) and oras (a title for each
// file) write.
func TestPullOfArtifacts(t *testing.T) {
	const module, wasm = "A.x.io_v1_v2.wasm", "application/wasm"
	wash := [][3]string{{wasm, "", "\x00asm"}}
	for _, tc := range []struct {
		name, as string
		layers   [][3]string
		want     map[string]string
		err      string
	}{
		{"wash, named by the reference", "=" + module, wash, map[string]string{module: "\x00asm"}, ""},
		{"wash without a name", "", wash, nil, "the image is one file without a name: write REF=FILE, such as registry.example.com/converter:v1=CronTab.stable.example.com_v1_v2.wasm"},
		{"oras", "", [][3]string{{wasm, module, "a"}, {"application/yaml", "A.x.io_v1_v2.yaml", "b"}}, map[string]string{module: "a", "A.x.io_v1_v2.yaml": "b"}, ""},
		{"oras with another name", "=" + module, [][3]string{{wasm, "converter.wasm", "a"}}, map[string]string{module: "a"}, ""},
		{"two files for one name", "=" + module, [][3]string{{wasm, module, "a"}, {"application/yaml", "A.x.io_v1_v2.yaml", "b"}}, nil,
			"the reference names one file, " + module + ", but the image has 2 files: leave out =" + module},
		{"two files without names", "", append(wash, [3]string{wasm, "", "other"}), nil,
			`layer 1 ("application/wasm") is a file without a name: push it with the annotation org.opencontainers.image.title, as oras does`},
		{"a title with a directory", "", [][3]string{{wasm, "../../" + module, "a"}, {wasm, "etc/passwd", "b"}}, nil,
			`"etc/passwd" in the image is in a directory: the modules must be at the root of the image, as crosswalk push puts them`},
		{"a hidden title", "", [][3]string{{wasm, module, "a"}, {wasm, "..data", "b"}, {wasm, ".wh." + module, ""}}, map[string]string{module: "a"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			host, dir := serve(t, handler()), t.TempDir()
			publish(t, host+"/m:v1", `{"architecture":"wasm","os":"wasip1"}`, tc.layers...)
			_, err := Pull(context.Background(), Registry{}, []string{host + "/m:v1" + tc.as}, dir)
			if tc.err != "" {
				if err == nil || !strings.HasSuffix(err.Error(), tc.err) {
					t.Errorf("error %v, want %s", err, tc.err)
				}
				return
			}
			must(t, err)
			holds(t, dir, tc.want)
			pull(t, host+"/m:v1"+tc.as, dir, false)
		})
	}
}

// TestPullWithNewName changes only the name in the reference, of a tag and of a digest.
func TestPullWithNewName(t *testing.T) {
	host, dir := serve(t, handler()), t.TempDir()
	digest := publish(t, host+"/m:v1", "{}", [3]string{"application/wasm", "", "a"})
	for _, ref := range []string{host + "/m:v1", host + "/m@" + digest} {
		for _, file := range []string{"A.x.io_v1_v2.wasm", "B.x.io_v1_v2.wasm"} {
			pull(t, ref+"="+file, dir, true)
			holds(t, dir, map[string]string{file: "a"})
			pull(t, ref+"="+file, dir, false)
		}
	}
	if !Pinned([]string{host + "/m@" + digest + "=A.wasm"}) {
		t.Error("a reference with a digest and a name is not pinned")
	}
	for _, bad := range []string{"", ".a", "a/b", `a\b`, "a b"} {
		if _, err := Pull(context.Background(), Registry{}, []string{host + "/m:v1=" + bad}, dir); err == nil || !strings.Contains(err.Error(), " is not a file name: write "+host+"/m:v1=FILE") {
			t.Errorf("the name %q: %v", bad, err)
		}
	}
}

// TestSingleFileEndsAtItsLimit has a file of more bytes than are left, and one that ends there.
func TestSingleFileEndsAtItsLimit(t *testing.T) {
	host := serve(t, handler())
	publish(t, host+"/m:v1", "{}", [3]string{"application/wasm", "a.wasm", strings.Repeat("a", 1000)})
	ref, err := name.ParseReference(host + "/m:v1")
	must(t, err)
	img, err := remote.Image(ref)
	must(t, err)
	for left, fits := range map[int64]bool{999: false, 1000: true} {
		e := extraction{left: left, room: left}
		if err := e.extract(img, t.TempDir()); (err == nil) != fits {
			t.Errorf("%d bytes: %v", left, err)
		}
	}
}

// TestWasmArtifact compares the manifest with the CNCF's layout, and pulls it.
func TestWasmArtifact(t *testing.T) {
	host, dir := serve(t, handler()), t.TempDir()
	files, err := Files(write(t, map[string]string{"A.x.io_v1_v2.wasm": "\x00asm"}))
	must(t, err)
	c := Content{Wasm: true, Annotations: map[string]string{"org.opencontainers.image.source": "https://git.example.com/a"}}
	pushed, err := Push(context.Background(), Registry{}, host+"/m:v1", files, c)
	must(t, err)
	again, err := Push(context.Background(), Registry{}, host+"/m:v1", files, c)
	if err != nil || again != pushed {
		t.Errorf("the same file gave %s and %s, %v", pushed, again, err)
	}
	ref, err := name.ParseReference(pushed)
	must(t, err)
	found, err := remote.Get(ref)
	must(t, err)
	const digest = "sha256:cd5d4935a48c0672cb06407bb443bc0087aff947c6b864bac886982c73b3027f"
	var m v1.Manifest
	must(t, json.Unmarshal(found.Manifest, &m))
	if m.Config.MediaType != "application/vnd.wasm.config.v0+json" || len(m.Layers) != 1 || m.Layers[0].MediaType != "application/wasm" ||
		m.Layers[0].Digest.String() != digest || m.Annotations["org.opencontainers.image.source"] != "https://git.example.com/a" {
		t.Errorf("manifest %s", found.Manifest)
	}
	img, err := found.Image()
	must(t, err)
	config, err := img.RawConfigFile()
	must(t, err)
	if want := `{"created":"1970-01-01T00:00:00Z","architecture":"wasm","os":"wasip1","layerDigests":["` + digest + `"]}`; string(config) != want {
		t.Errorf("configuration %s, want %s", config, want)
	}
	pull(t, pushed, dir, true)
	holds(t, dir, map[string]string{"A.x.io_v1_v2.wasm": "\x00asm"})

	two, err := Files(write(t, map[string]string{"A.x.io_v1_v2.wasm": "a", "A.x.io_v1_v2.yaml": "b"}))
	must(t, err)
	if _, err := Push(context.Background(), Registry{}, host+"/m:v2", two, c); err == nil || !strings.HasPrefix(err.Error(), "a Wasm artifact is one file NAME.wasm") {
		t.Errorf("two files: %v", err)
	}
}

// TestAttachmentsAreReferrers asks registries with and without the referrers API, as Debian's has none.
func TestAttachmentsAreReferrers(t *testing.T) {
	for _, supported := range []bool{true, false} {
		host := serve(t, registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(supported)))
		files, err := Files(write(t, map[string]string{"A.x.io_v1_v2.wasm": "\x00asm"}))
		must(t, err)
		bill, err := Files(write(t, map[string]string{"bom.json": `{"bomFormat":"CycloneDX"}`}))
		must(t, err)
		annotations := map[string]string{"org.opencontainers.image.licenses": "MIT"}
		for _, wasm := range []bool{true, false} {
			c := Content{Wasm: wasm, Annotations: annotations, Attached: []Attachment{{"application/vnd.cyclonedx+json", bill}, {"application/vnd.x", bill}}}
			pushed, err := Push(context.Background(), Registry{}, host+"/m:v1", files, c)
			must(t, err)
			digest, err := name.NewDigest(pushed)
			must(t, err)
			index, err := remote.Referrers(digest)
			must(t, err)
			list, err := index.IndexManifest()
			must(t, err)
			if len(list.Manifests) != 2 {
				t.Fatalf("with the API %v: referrers %+v", supported, list.Manifests)
			}
			for _, d := range list.Manifests {
				img, err := remote.Image(digest.Context().Digest(d.Digest.String()))
				must(t, err)
				layers, err := img.Layers()
				must(t, err)
				content, err := layers[0].Compressed()
				must(t, err)
				text, err := io.ReadAll(content)
				must(t, err)
				m, err := img.Manifest() // the API of this registry repeats the type of the configuration
				if err != nil || string(text) != `{"bomFormat":"CycloneDX"}` || m.ArtifactType != "application/vnd.cyclonedx+json" && m.ArtifactType != "application/vnd.x" {
					t.Errorf("referrer %+v has %s, %v", m, text, err)
				}
			}
			img, err := remote.Image(digest)
			must(t, err)
			if m, err := img.Manifest(); err != nil || m.Annotations["org.opencontainers.image.licenses"] != "MIT" {
				t.Errorf("wasm %v: annotations %v, %v", wasm, m.Annotations, err)
			}
		}
	}
}
