package oci

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
)

// archiveOf is a layer's archive with the entries in order; a name that ends with / is a directory.
func archiveOf(t *testing.T, entries ...[2]string) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := tar.NewWriter(&buffer)
	for _, e := range entries {
		h := tar.Header{Name: e[0], Typeflag: tar.TypeReg, Size: int64(len(e[1]))}
		if strings.HasSuffix(e[0], "/") {
			h.Typeflag = tar.TypeDir
		}
		must(t, w.WriteHeader(&h))
		_, err := io.WriteString(w, e[1])
		must(t, err)
	}
	must(t, w.Close())
	return buffer.Bytes()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func layerOf(t *testing.T, archive []byte, options ...tarball.LayerOption) v1.Layer {
	t.Helper()
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive)), nil }, options...)
	must(t, err)
	return layer
}

// TestPullOfLayers has the images that other tools than crosswalk push make. An image volume shows
// the same files.
func TestPullOfLayers(t *testing.T) {
	a, b := [2]string{"A.x.io_v1_v2.wasm", "a"}, [2]string{"B.x.io_v1_v2.wasm", "b"}
	for _, tc := range []struct {
		name   string
		layers [][][2]string
		want   map[string]string
	}{
		{"two layers with the names of tar .", [][][2]string{{{"./", ""}, {"./" + a[0], "old"}}, {{"./" + a[0], "a"}, {"./" + b[0], "b"}}}, map[string]string{a[0]: "a", b[0]: "b"}},
		{"a deleted file", [][][2]string{{a, b}, {{".wh." + b[0], ""}}}, map[string]string{a[0]: "a"}},
		{"a deletion of an absent file", [][][2]string{{a}, {{".wh." + b[0], ""}}}, map[string]string{a[0]: "a"}},
		{"a deleted file that is back", [][][2]string{{a, b}, {{".wh." + b[0], ""}}, {{b[0], "again"}}}, map[string]string{a[0]: "a", b[0]: "again"}},
		{"a deletion in the layer that has the file", [][][2]string{{b, {a[0], "old"}}, {a, {".wh." + a[0], ""}}}, map[string]string{a[0]: "a", b[0]: "b"}},
		{"an opaque root", [][][2]string{{a}, {b, {".wh..wh..opq", ""}}}, map[string]string{b[0]: "b"}},
		{"files that begin with a dot, as estargz has", [][][2]string{{{".no.prefetch.landmark", "\x0f"}, a, {"..data", "x"}}}, map[string]string{a[0]: "a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			host, dir, img := serve(t, handler()), t.TempDir(), v1.Image(empty.Image)
			for _, entries := range tc.layers {
				var err error
				img, err = mutate.AppendLayers(img, layerOf(t, archiveOf(t, entries...)))
				must(t, err)
			}
			ref, err := name.ParseReference(host + "/m:v1")
			must(t, err)
			must(t, remote.Write(ref, img))
			result, err := Pull(context.Background(), Registry{}, []string{ref.String()}, dir)
			must(t, err)
			if result.Files != len(tc.want) {
				t.Errorf("%d files, want %d", result.Files, len(tc.want))
			}
			holds(t, dir, tc.want)
		})
	}
}

// TestPullOfFormats writes one image in the formats that registries have.
func TestPullOfFormats(t *testing.T) {
	files := map[string]string{"A.x.io_v1_v2.wasm": strings.Repeat("a", 10_000)}
	archive := archiveOf(t, [2]string{"A.x.io_v1_v2.wasm", files["A.x.io_v1_v2.wasm"]})
	platform := func(img v1.Image, architecture string) v1.Image {
		c, err := img.ConfigFile()
		must(t, err)
		c = c.DeepCopy()
		c.OS, c.Architecture = "linux", architecture
		img, err = mutate.ConfigFile(img, c)
		must(t, err)
		return img
	}
	docker, err := mutate.AppendLayers(empty.Image, layerOf(t, archive))
	must(t, err)
	encoder, err := zstd.NewWriter(nil)
	must(t, err)
	packed, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		layerOf(t, encoder.EncodeAll(archive, nil), tarball.WithMediaType(types.OCILayerZStd)))
	must(t, err)
	add := func(architectures ...string) v1.ImageIndex {
		index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
		for _, a := range architectures {
			index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: platform(docker, a), Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: a}}})
		}
		return index
	}
	for _, tc := range []struct {
		name, err string
		write     func(name.Reference) error
	}{
		{"docker's schema 2", "", func(r name.Reference) error { return remote.Write(r, docker) }},
		{"OCI with zstd", "", func(r name.Reference) error { return remote.Write(r, packed) }},
		{"an index of two architectures", "", func(r name.Reference) error { return remote.WriteIndex(r, add("amd64", "arm64")) }},
		{"an index without this architecture", "; build the image for this platform, too, or push the files with crosswalk push, for all platforms",
			func(r name.Reference) error { return remote.WriteIndex(r, add("s390x")) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			host, dir := serve(t, handler()), t.TempDir()
			ref, err := name.ParseReference(host + "/m:v1")
			must(t, err)
			must(t, tc.write(ref))
			if tc.err != "" {
				if _, err := Pull(context.Background(), Registry{}, []string{ref.String()}, dir); err == nil || !strings.HasSuffix(err.Error(), tc.err) {
					t.Errorf("error %v", err)
				}
				return
			}
			pull(t, ref.String(), dir, true)
			holds(t, dir, files)
			pull(t, ref.String(), dir, false)
		})
	}
}

// TestUnchangedTagIsNoDownload counts requests: registries with a quota, such as Docker Hub, count
// GET requests of manifests.
func TestUnchangedTagIsNoDownload(t *testing.T) {
	for _, heads := range []bool{true, false} {
		var mutex sync.Mutex
		requests, pulling := map[string]int{}, false
		inner := handler()
		host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/manifests/") {
				mutex.Lock()
				requests[r.Method]++
				mutex.Unlock()
				if r.Method == http.MethodHead && pulling && !heads {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
			}
			inner.ServeHTTP(w, r)
		}))
		dir, tag := t.TempDir(), host+"/m:v1"
		push(t, tag, map[string]string{"a.wasm": "1"})
		pull(t, tag, dir, true)
		clear(requests)
		pulling = true
		pull(t, tag, dir, false)
		pulling = false
		want := map[string]int{http.MethodHead: 1}
		if !heads {
			want[http.MethodGet] = 1
		}
		if !maps.Equal(requests, want) {
			t.Errorf("registry with HEAD %v: requests %v, want %v", heads, requests, want)
		}
		push(t, tag, map[string]string{"a.wasm": "2"})
		pull(t, tag, dir, true)
		holds(t, dir, map[string]string{"a.wasm": "2"})
	}
}

// TestTagMovesBack rolls a release back by its tag.
func TestTagMovesBack(t *testing.T) {
	host, dir := serve(t, handler()), t.TempDir()
	tag := host + "/m:v1"
	for _, content := range []string{"1", "2", "1"} {
		push(t, tag, map[string]string{"a.wasm": content})
		pull(t, tag, dir, true)
		holds(t, dir, map[string]string{"a.wasm": content})
	}
}

// TestOnePullAtATime starts a pull while another one downloads into the directory.
func TestOnePullAtATime(t *testing.T) {
	inner, began, goOn := handler(), make(chan struct{}), make(chan struct{})
	var layer string
	host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && layer != "" && strings.HasSuffix(r.URL.Path, layer) {
			began <- struct{}{}
			<-goOn
		}
		inner.ServeHTTP(w, r)
	}))
	dir := t.TempDir()
	other := push(t, host+"/m:other", map[string]string{"b.wasm": "2"})
	ref, err := name.ParseReference(push(t, host+"/m:slow", map[string]string{"a.wasm": "1"}))
	must(t, err)
	img, err := remote.Image(ref)
	must(t, err)
	layers, err := img.Layers()
	must(t, err)
	digest, err := layers[0].Digest()
	must(t, err)
	layer = digest.String()
	first := make(chan error)
	go func() { // ends with the pull
		_, err := Pull(context.Background(), Registry{}, []string{ref.String()}, dir)
		first <- err
	}()
	<-began
	_, err = Pull(context.Background(), Registry{}, []string{other}, dir)
	if err == nil || !strings.Contains(err.Error(), "another crosswalk pull is writing "+dir+": give each its own directory, or wait") {
		t.Errorf("the second pull: %v", err)
	}
	close(goOn)
	must(t, <-first)
	holds(t, dir, map[string]string{"a.wasm": "1"})
	pull(t, other, dir, true)
	holds(t, dir, map[string]string{"b.wasm": "2"})
}
