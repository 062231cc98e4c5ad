package oci

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// The configurations of the CNCF's Wasm artifact
// (https://tag-runtime.cncf.io/wgs/wasm/deliverables/wasm-oci-artifact), and of an artifact that has none.
const (
	wasmConfig  types.MediaType = "application/vnd.wasm.config.v0+json"
	emptyConfig types.MediaType = "application/vnd.oci.empty.v1+json"
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

// artifactCore is the part of v1.Image from which the library makes the rest.
type artifactCore struct {
	manifest, config []byte
	layers           map[v1.Hash]v1.Layer
}

func (c artifactCore) RawManifest() ([]byte, error)        { return c.manifest, nil }
func (c artifactCore) RawConfigFile() ([]byte, error)      { return c.config, nil }
func (c artifactCore) MediaType() (types.MediaType, error) { return types.OCIManifestSchema1, nil }
func (c artifactCore) LayerByDigest(h v1.Hash) (partial.CompressedLayer, error) {
	if layer, ok := c.layers[h]; ok {
		return layer, nil
	}
	return nil, fmt.Errorf("there is no layer %s", h)
}
