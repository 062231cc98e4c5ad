package oci

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
)

// sparseArchive has one file that reads as size zeros and takes three blocks of the archive, as GNU
// tar --format=pax --sparse writes it.
func sparseArchive(t *testing.T, size int64) []byte {
	t.Helper()
	var records strings.Builder
	for _, r := range []string{"GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=A.x.io_v1_v2.wasm", fmt.Sprintf("GNU.sparse.realsize=%d", size)} {
		n := len(r) + 4 // two digits, a space, a newline
		fmt.Fprintf(&records, "%d %s\n", n, r)
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, h := range []struct {
		name, content string
		kind          byte
	}{{"records", records.String(), tar.TypeReg}, {"A.x.io_v1_v2.wasm", fmt.Sprintf("1\n%d\n0\n", size), tar.TypeReg}} {
		content := []byte(h.content)
		if h.name != "records" {
			content = append(content, make([]byte, 512-len(content))...)
		}
		if err := w.WriteHeader(&tar.Header{Name: h.name, Size: int64(len(content)), Mode: 0o644, Typeflag: h.kind, Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	// The library writes no extended header with chosen records, so the first entry becomes one.
	header := archive.Bytes()[:512]
	header[156] = tar.TypeXHeader
	copy(header[148:156], "        ")
	sum := 0
	for _, c := range header {
		sum += int(c)
	}
	copy(header[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return archive.Bytes()
}

// zstdOfWindow packs an archive with zstd and a window of the given size.
func zstdOfWindow(t *testing.T, archive []byte, window int) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed, zstd.WithWindowSize(window), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, bytes.NewReader(archive)); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil { // else the frame of a small archive has no window
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// TestBombsEndAtLimitsS6 pulls images that are small and that take much disk or memory to unpack.
func TestBombsEndAtLimitsS6(t *testing.T) {
	inner := handler()
	host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/manifests/redirected"):
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case r.URL.Path == "/elsewhere", strings.HasSuffix(r.URL.Path, "/manifests/large"):
			w.Header().Set("Content-Type", string(types.OCIManifestSchema1))
			_, _ = io.WriteString(w, `{"schemaVersion":2,"layers":[`+strings.Repeat("{},", maxManifest/3)+"{}]}")
		default:
			inner.ServeHTTP(w, r)
		}
	}))
	layer := func(tag string, kind types.MediaType, content []byte) string {
		img, err := mutate.AppendLayers(empty.Image, static.NewLayer(content, kind))
		if err != nil {
			t.Fatal(err)
		}
		ref, err := name.ParseReference(host + "/m:" + tag)
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Write(ref, img); err != nil {
			t.Fatal(err)
		}
		return ref.String()
	}
	const fits = 4 << 20
	honest := sparseArchive(t, fits)
	tooLarge := fmt.Sprintf("the image has more than %d bytes", maxTotal)
	for _, tc := range []struct{ what, ref, want string }{
		{"a sparse file of 4 MiB", layer("sparse", types.OCIUncompressedLayer, honest), ""},
		{"a sparse file of 4 TiB", layer("terabytes", types.OCIUncompressedLayer, sparseArchive(t, fits<<20)), tooLarge},
		{"129 sparse files of 4 MiB", layer("several", types.OCIUncompressedLayer, several(honest, 129)), tooLarge},
		{"a window of 8 MiB", layer("window8", types.OCILayerZStd, zstdOfWindow(t, honest, maxWindow)), ""},
		{"a window of 16 MiB", layer("window16", types.OCILayerZStd, zstdOfWindow(t, honest, 2*maxWindow)), "a layer needs a window of more than 8388608 bytes: pack it with zstd -19 and no more"},
		{"a large manifest", host + "/m:large", "the manifest has more than 262144 bytes"},
		{"a large manifest behind a redirect", host + "/m:redirected", "the manifest has more than 262144 bytes"},
	} {
		t.Run(tc.what, func(t *testing.T) {
			dir := t.TempDir()
			_, err := Pull(context.Background(), Registry{}, []string{tc.ref}, dir)
			if tc.want != "" {
				if err == nil || !strings.HasSuffix(err.Error(), tc.want) {
					t.Errorf("error %v; want one that ends with %q", err, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			holds(t, dir, map[string]string{"A.x.io_v1_v2.wasm": strings.Repeat("\x00", fits)})
			if left, err := filepath.Glob(filepath.Join(dir, "..2*")); err != nil || len(left) != 1 {
				t.Errorf("the directory has %v, %v", left, err)
			}
		})
	}
}

// several repeats the entries of an archive.
func several(archive []byte, times int) []byte {
	end := len(archive) - 2*512 // two empty blocks
	return append(bytes.Repeat(archive[:end], times), archive[end:]...)
}

// TestPinnedIndexIsVerifiedS6: a registry answers the digest of an image, which a pinned index has, with
// another manifest. It sends it as a signed manifest of Docker's schema 1, whose digest is a header.
func TestPinnedIndexIsVerifiedS6(t *testing.T) {
	inner, forged := handler(), ""
	host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, digest, found := strings.Cut(r.URL.Path, "/manifests/sha256:")
		if !found || forged == "" || r.Method != http.MethodGet {
			inner.ServeHTTP(w, r)
			return
		}
		recorded := httptest.NewRecorder()
		inner.ServeHTTP(recorded, r)
		if strings.Contains(recorded.Header().Get("Content-Type"), "index") {
			w.Header().Set("Content-Type", recorded.Header().Get("Content-Type"))
			_, _ = w.Write(recorded.Body.Bytes())
			return
		}
		w.Header().Set("Docker-Content-Digest", "sha256:"+digest)
		w.Header().Set("Content-Type", string(types.DockerManifestSchema1Signed))
		other := httptest.NewRecorder()
		r.URL.Path = at + "/manifests/" + forged
		inner.ServeHTTP(other, r)
		_, _ = w.Write(other.Body.Bytes())
	}))
	good := map[string]string{"A.x.io_v1_v2.wasm": "good"}
	image := func(tag string, files map[string]string) v1.Image {
		push(t, host+"/m:"+tag, files)
		ref, err := name.ParseReference(host + "/m:" + tag)
		if err != nil {
			t.Fatal(err)
		}
		img, err := remote.Image(ref)
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	image("evil", map[string]string{"A.x.io_v1_v2.wasm": "evil"})
	index := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: image("good", good), Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: runtime.GOARCH}}})
	ref, err := name.ParseReference(host + "/m:index")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(ref, index); err != nil {
		t.Fatal(err)
	}
	digest, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	pinned, dir := host+"/m@"+digest.String(), t.TempDir()
	pull(t, pinned, dir, true)
	holds(t, dir, good)
	forged, dir = "evil", t.TempDir()
	const want = "the registry answers with a manifest of Docker's schema 1, whose digest cannot be verified: push the image again with a present tool"
	if _, err := Pull(context.Background(), Registry{}, []string{pinned}, dir); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v; want one that ends with %q", err, want)
	}
	if Has(dir) != "" {
		t.Errorf("the directory has files of %s", Has(dir))
	}
}
