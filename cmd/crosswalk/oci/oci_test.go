package oci

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// handler is a registry in memory.
func handler() http.Handler { return registry.New(registry.Logger(log.New(io.Discard, "", 0))) }

// serve starts a registry and returns its host and port.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	return strings.TrimPrefix(server.URL, "http://")
}

// write makes a directory with files, whose content is given.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for file, content := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func push(t *testing.T, ref string, files map[string]string) (pushed string) {
	t.Helper()
	list, err := Files(write(t, files))
	if err != nil {
		t.Fatal(err)
	}
	pushed, err = Push(context.Background(), Registry{}, ref, list, ArtifactType)
	if err != nil {
		t.Fatal(err)
	}
	return pushed
}

func pull(t *testing.T, ref, dir string, changed bool) {
	t.Helper()
	result, err := Pull(context.Background(), Registry{}, []string{ref}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if result.Changed != changed {
		t.Errorf("changed = %v, want %v", result.Changed, changed)
	}
}

// holds compares a directory with files, as a gateway reads it.
func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got, err := watch.Read(dir, watch.ReadLimits{Quiet: time.Nanosecond}, func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Skipped) > 0 || len(got.Files) != len(want) {
		t.Errorf("a gateway reads %d files of %s, skips %v; want %d", len(got.Files), dir, got.Skipped, len(want))
	}
	for _, f := range got.Files {
		if want[f.Name] != string(f.Content) {
			t.Errorf("%s has %q, want %q", f.Name, f.Content, want[f.Name])
		}
	}
	versions, err := filepath.Glob(filepath.Join(dir, "..2*"))
	if err != nil || len(versions) > 1 {
		t.Errorf("versions %v, %v; want one", versions, err)
	}
}

func TestPullReplacesWhatPushWrote(t *testing.T) {
	host, dir := serve(t, handler()), filepath.Join(t.TempDir(), "modules")
	first := map[string]string{"A.x.io_v1_v2.wasm": "\x00asm", "B.x.io_v1_v2.wasm": "b", "A.x.io_v1_v2.yaml": "pin: x"}
	second := map[string]string{"A.x.io_v1_v2.wasm": "new", "C.x.io_v1_v2.wasm": strings.Repeat("c", 1<<20)}
	tag := host + "/team/modules:v1"

	pushed := push(t, tag, first)
	if again := push(t, tag, first); again != pushed {
		t.Errorf("the same files gave %s and %s", pushed, again)
	}
	pull(t, tag, dir, true)
	holds(t, dir, first)
	pull(t, tag, dir, false)
	push(t, tag, second)
	pull(t, tag, dir, true)
	holds(t, dir, second)
	pull(t, pushed, dir, true) // back, by digest
	holds(t, dir, first)
	if want := pushed[strings.Index(pushed, "@")+1:]; Has(dir) != want {
		t.Errorf("Has = %q, want %q", Has(dir), want)
	}
}

func TestManifestHasArtifactType(t *testing.T) {
	host := serve(t, handler())
	ref, err := name.ParseReference(push(t, host+"/m:v1", map[string]string{"f.wasm": "x"}))
	if err != nil {
		t.Fatal(err)
	}
	found, err := remote.Get(ref)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"artifactType":"application/vnd.crosswalk.modules.v1"`, `"application/vnd.oci.image.config.v1+json"`,
		`"application/vnd.oci.image.layer.v1.tar+gzip"`} {
		if !strings.Contains(string(found.Manifest), part) {
			t.Errorf("the manifest lacks %s: %s", part, found.Manifest)
		}
	}
	img, err := found.Image()
	if err != nil {
		t.Fatal(err)
	}
	if config, err := img.ConfigFile(); err != nil || config.OS != "linux" || len(config.RootFS.DiffIDs) != 1 {
		t.Errorf("the configuration is %+v, %v", config, err)
	}
}

// TestPullKeepsDirectoryOnErrors pulls images that are damaged or are not flat directories, and
// from registries that fail.
func TestPullKeepsDirectoryOnErrors(t *testing.T) {
	good := map[string]string{"A.x.io_v1_v2.wasm": "good"}
	damage, down := false, false
	inner := handler()
	host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down {
			http.Error(w, "maintenance", http.StatusForbidden)
			return
		}
		if damage && r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/") {
			recorded := httptest.NewRecorder()
			inner.ServeHTTP(recorded, r)
			body := recorded.Body.Bytes()
			body[len(body)-1] ^= 1
			for key, values := range recorded.Header() {
				w.Header()[key] = values
			}
			_, _ = w.Write(body)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	dir := t.TempDir()
	tag := host + "/m:good"
	pinned := push(t, tag, good)
	pull(t, tag, dir, true)
	other := push(t, host+"/m:other", map[string]string{"B.x.io_v1_v2.wasm": strings.Repeat("b", 5000)})

	many := make([]tar.Header, maxFiles+1)
	for i := range many {
		many[i] = tar.Header{Name: fmt.Sprintf("f%d", i), Typeflag: tar.TypeReg}
	}
	odd := func(tag string, headers ...tar.Header) string {
		ref := host + "/m:" + tag
		pushArchive(t, ref, headers)
		return ref
	}
	for _, tc := range []struct{ what, ref, want string }{
		{"a damaged blob", other, "sha256"},
		{"a digest that is not there", host + "/m@sha256:" + strings.Repeat("0", 64), "MANIFEST_UNKNOWN"},
		{"a tag that is not there", host + "/m:nothing", "MANIFEST_UNKNOWN"},
		{"a file in a directory", odd("nested", tar.Header{Name: "bin/sh", Typeflag: tar.TypeReg}), `"bin/sh" in the image is in a directory`},
		{"a way out", odd("out", tar.Header{Name: "../../etc/passwd", Typeflag: tar.TypeReg}), "is in a directory"},
		{"a link", odd("link", tar.Header{Name: "m.wasm", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}), "is a link or a device"},
		{"a way out on Windows", odd("backslash", tar.Header{Name: `..\..\boot.ini`, Typeflag: tar.TypeReg}), "is in a directory"},
		{"a long name", odd("long", tar.Header{Name: strings.Repeat("n", 300), Typeflag: tar.TypeReg}), `"` + strings.Repeat("n", maxShown) + `"… in the image has a name of 300 bytes; at most 255 are allowed`},
		{"a name of the volume's own", odd("dots", tar.Header{Name: "..data", Typeflag: tar.TypeReg}), "the image has no files"},
		{"a deletion alone", odd("deletion", tar.Header{Name: ".wh.m.wasm", Typeflag: tar.TypeReg}), "the image has no files"},
		{"no files", odd("none", tar.Header{Name: "d/", Typeflag: tar.TypeDir}), "the image has no files"},
		{"many files", odd("many", many...), "more than 512 files"},
		{"not a reference", "Not A Reference", "is not the reference of an image"},
	} {
		t.Run(tc.what, func(t *testing.T) {
			damage = tc.what == "a damaged blob"
			_, err := Pull(context.Background(), Registry{}, []string{tc.ref}, dir)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v; want one with %q", err, tc.want)
			}
			holds(t, dir, good)
		})
	}
	damage, down = false, true
	if _, err := Pull(context.Background(), Registry{}, []string{tag}, dir); err == nil {
		t.Error("a registry that fails gave no error")
	}
	pull(t, pinned, dir, false) // what is there needs no registry
	holds(t, dir, good)
}

// pushArchive pushes an image with one layer with empty files.
func pushArchive(t *testing.T, ref string, headers []tar.Header) {
	t.Helper()
	var buffer bytes.Buffer
	w := tar.NewWriter(&buffer)
	for _, h := range headers {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buffer.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(parsed, img); err != nil {
		t.Fatal(err)
	}
}

func TestExtractionEndsAtItsLimit(t *testing.T) {
	var buffer bytes.Buffer
	w := tar.NewWriter(&buffer)
	for range 2 {
		if err := w.WriteHeader(&tar.Header{Name: "same", Typeflag: tar.TypeReg, Size: 6000}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, 6000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	begin := func(left, room int64) *extraction {
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = root.Close() })
		return &extraction{into: root, left: left, room: room, names: map[string]bool{}}
	}
	for _, tc := range []struct {
		left, room int64
		ok         bool
	}{{int64(buffer.Len()), 12_000, true}, {int64(buffer.Len()) - 1, 12_000, false}, {5000, 12_000, false}, {int64(buffer.Len()), 11_999, false}} {
		e := begin(tc.left, tc.room)
		if err := e.layer(bytes.NewReader(buffer.Bytes())); (err == nil) != tc.ok {
			t.Errorf("with %d bytes left, %d for files: %v", tc.left, tc.room, err)
		}
	}
	two := begin(int64(buffer.Len())+100, 24_000)
	if err := two.layer(bytes.NewReader(buffer.Bytes())); err != nil {
		t.Error(err)
	}
	if err := two.layer(bytes.NewReader(buffer.Bytes())); err == nil {
		t.Error("each layer has a limit of its own")
	}
	trailing := begin(20_000, 24_000)
	if err := trailing.layer(io.MultiReader(&buffer, bytes.NewReader(make([]byte, 20_000)))); err == nil {
		t.Error("bytes after the archive are not counted")
	}
}

// TestPullCompletesAnInterruptedPull begins with the directories that a process leaves which was
// killed between two steps.
func TestPullCompletesAnInterruptedPull(t *testing.T) {
	host, dir := serve(t, handler()), t.TempDir()
	files := map[string]string{"A.x.io_v1_v2.wasm": "a", "B.x.io_v1_v2.wasm": "b"}
	tag := host + "/m:v1"
	push(t, tag, files)
	pull(t, tag, dir, true)
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "..2020_01_01_00_00_00.1"), 0o755),
		os.Symlink("..2020_01_01_00_00_00.1", filepath.Join(dir, newLink)),
		os.Remove(filepath.Join(dir, "B.x.io_v1_v2.wasm")),
		os.Symlink("..data/gone.wasm", filepath.Join(dir, "gone.wasm")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	pull(t, tag, dir, false)
	holds(t, dir, files)
}

func TestPullLeavesOtherFilesAlone(t *testing.T) {
	host, dir := serve(t, handler()), write(t, map[string]string{"A.x.io_v1_v2.wasm": "mine"})
	tag := host + "/m:v1"
	push(t, tag, map[string]string{"A.x.io_v1_v2.wasm": "theirs"})
	if _, err := Pull(context.Background(), Registry{}, []string{tag}, dir); err == nil || !strings.Contains(err.Error(), "is in the way") {
		t.Errorf("error %v", err)
	}
	holds(t, dir, map[string]string{"A.x.io_v1_v2.wasm": "mine"})
}

func TestRegistryWithItsOwnAuthorityAndPassword(t *testing.T) {
	inner := handler()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); !ok || user != "robot" || password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "https://")
	docker, certificates := t.TempDir(), t.TempDir()
	t.Setenv("DOCKER_CONFIG", docker)
	files, err := Files(write(t, map[string]string{"f.wasm": "x"}))
	if err != nil {
		t.Fatal(err)
	}
	try := func() error {
		_, err := Push(context.Background(), Registry{Certificates: certificates}, host+"/m:v1", files, ArtifactType)
		return err
	}
	if err := try(); err == nil {
		t.Error("a registry with an unknown authority was trusted")
	}
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.MkdirAll(filepath.Join(certificates, host), 0o755); err != nil {
		t.Fatal(err)
	}
	crt := filepath.Join(certificates, host, "ca.crt")
	if err := os.WriteFile(crt, []byte("nonsense"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := try(); err == nil || !strings.Contains(err.Error(), "ca.crt has no certificate in PEM form") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(crt, authority, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := try(); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("without a password: %v", err)
	}
	login := fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, base64.StdEncoding.EncodeToString([]byte("robot:secret")))
	if err := os.WriteFile(filepath.Join(docker, "config.json"), []byte(login), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := try(); err != nil {
		t.Errorf("with authority and password: %v", err)
	}
}

func TestFilesNamesTheProblem(t *testing.T) {
	one, two := write(t, map[string]string{"a.wasm": "1", ".hidden": "2"}), write(t, map[string]string{"a.wasm": "1"})
	files, err := Files(one)
	if err != nil || len(files) != 1 || files[0].Name != "a.wasm" {
		t.Errorf("%v, %v", files, err)
	}
	for _, tc := range []struct {
		paths []string
		want  string
	}{
		{[]string{one, two}, "have the same name"},
		{[]string{t.TempDir()}, "has no files"},
		{[]string{filepath.Join(one, "missing")}, "no such file"},
	} {
		if _, err := Files(tc.paths...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v; want %q", tc.paths, err, tc.want)
		}
	}
}

// interruptible starts a registry that fails while down is true.
func interruptible(t *testing.T) (host string, down *atomic.Bool) {
	t.Helper()
	down = new(atomic.Bool)
	inner := handler()
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			http.Error(w, "maintenance", http.StatusForbidden) // a code that the library does not retry by itself
			return
		}
		inner.ServeHTTP(w, r)
	})), down
}

// TestWatchFollowsATag changes a tag under a watch, while the registry fails in between.
func TestWatchFollowsATag(t *testing.T) {
	host, down := interruptible(t)
	dir, tag := t.TempDir(), host+"/m:v1"
	push(t, tag, map[string]string{"a.wasm": "1"})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	type report struct {
		Result
		err error
	}
	reports, ended := make(chan report), make(chan error, 1)
	go func() {
		ended <- Watch(ctx, Registry{}, []string{tag}, dir, time.Millisecond, func(r Result, err error) {
			select {
			case reports <- report{r, err}:
			case <-ctx.Done():
			}
		})
	}()
	until := func(what string, is func(report) bool) {
		t.Helper()
		for range 1000 {
			r := <-reports
			if is(r) {
				return
			}
			if r.err != nil && !down.Load() {
				t.Logf("%s: %v", what, r.err) // of a request that began before
			}
		}
		t.Fatalf("%s was not reported", what)
	}
	until("the first pull", func(r report) bool { return r.Changed })
	holds(t, dir, map[string]string{"a.wasm": "1"})
	down.Store(true)
	until("the failure", func(r report) bool { return r.err != nil })
	holds(t, dir, map[string]string{"a.wasm": "1"})
	down.Store(false)
	push(t, tag, map[string]string{"a.wasm": "2"})
	until("the second pull", func(r report) bool { return r.Changed })
	holds(t, dir, map[string]string{"a.wasm": "2"})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
