package runtime

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// definitions is a Subscriber that reads files ending in .crd.yaml, and keeps the last scan.
type definitions struct {
	mu   sync.Mutex
	last Scan
}

func (d *definitions) FileLimit(name string) int64 {
	if strings.HasSuffix(name, ".crd.yaml") {
		return 10
	}
	return 0
}

func (d *definitions) Scanned(s Scan) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = s
}

// read returns the names and the content of the subscriber's files in the last scan, and why others
// were skipped.
func (d *definitions) read() (files, skipped map[string]string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	files, skipped = map[string]string{}, map[string]string{}
	for _, f := range d.last.Files {
		if d.FileLimit(f.Name) > 0 {
			whole, err := d.last.Read(f)
			if err != nil {
				skipped[f.Name] = err.Error()
			}
			files[f.Name] = string(whole.Content)
		}
	}
	for _, f := range d.last.Skipped {
		skipped[f.Name] = f.Reason
	}
	return files, skipped
}

// TestSubscriberGetsEachScan: the subscriber reads its files in the same snapshot as the registry,
// with the same checksums.
func TestSubscriberGetsEachScan(t *testing.T) {
	const file, crd, large = "K.g_v1_v2.wasm", "ks.g.crd.yaml", "ls.g.crd.yaml"
	d := &definitions{}
	f := &following{t: t, dir: t.TempDir()}
	f.swap(map[string]string{file: "good_echo", crd: "kind: a", large: "longer than 10"})
	f.run(Config{Subscriber: d, Poll: time.Hour})
	files, skipped := d.read()
	if len(files) != 1 || files[crd] != "kind: a" || skipped[large] != "is too large: the limit is 10 bytes" {
		t.Errorf("files %v, skipped %v", files, skipped)
	}
	for _, name := range []string{crd, large} {
		if st := f.status(name); st.State != "" {
			t.Errorf("the registry has a status of the subscriber's file %s: %+v", name, st)
		}
	}
	f.swap(map[string]string{file: "good_refuse", crd: "kind: b", sums.ListFile: listOf(map[string]string{file: "good_refuse", crd: "kind: b"})})
	f.until("the next release", func() bool { files, _ := d.read(); return files[crd] == "kind: b" })
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, found := range d.last.Files {
		if err := d.last.Checksums.File(found); found.Name != sums.ListFile && err != nil {
			t.Errorf("%s: %v", found.Name, err)
		}
	}
}

// TestReleaseWaitsForItsDefinitions: with SHA256SUMS, a module is not replaced while a definition
// of the release is not yet in place, so that no moment has a module of one release and a
// definition of another.
func TestReleaseWaitsForItsDefinitions(t *testing.T) {
	const file, crd = "K.g_v1_v2.wasm", "ks.g.crd.yaml"
	f := &following{t: t, dir: t.TempDir()}
	f.put(file, "good_echo")
	f.put(crd, "kind: a")
	f.run(Config{Subscriber: &definitions{}})
	old := f.module("v1", "v2")
	f.put(sums.ListFile, listOf(map[string]string{file: "good_refuse", crd: "kind: b"}))
	f.put(file, "good_refuse")
	const waits = "waiting: the files in SHA256SUMS are replaced together, and " + crd + " does not match it yet"
	f.until("the wait", func() bool { return f.status(file).LastError == waits })
	if f.module("v1", "v2") != old {
		t.Error("the module was replaced before the definition")
	}
	f.put(crd, "kind: b")
	f.until("the release", func() bool { return f.module("v1", "v2") != old })
}

// TestScanKeepsNoContentW20: a scan, and the files of it that wait to be loaded, take no memory for
// contents, however large the files are; a file that changes meanwhile is not loaded.
func TestScanKeepsNoContentW20(t *testing.T) {
	r := resting(t)
	f := &following{t: t, dir: r.config.Dir}
	f.put("K.g_v1_v2.wasm", "good_echo")
	f.put("K.g_v1_v2.yaml", "cases: []")
	f.put(sums.ListFile, listOf(map[string]string{"K.g_v1_v2.wasm": "good_echo", "K.g_v1_v2.yaml": "cases: []"}))
	s := r.directories.all[0].scan(nil)
	for _, file := range s.Files {
		if len(file.Content) > 0 != (file.Name == sums.ListFile) || file.Size == 0 {
			t.Errorf("%s has %d of %d bytes", file.Name, len(file.Content), file.Size)
		}
	}
	r.plan("", nil, s)
	j := r.queue.pending()["K.g_v1_v2"]
	if j == nil || len(j.file.Content)+len(j.beside.Content) > 0 {
		t.Fatalf("job %+v", j)
	}
	if _, err := loadJob(t.Context(), r.directories.all[0].source, r.load, j); err != nil {
		t.Error(err)
	}
	f.put("K.g_v1_v2.yaml", "cases: [] # changed")
	if _, err := loadJob(t.Context(), r.directories.all[0].source, r.load, j); !errors.Is(err, ErrChanged) {
		t.Errorf("a changed sidecar: %v", err)
	}
}

// TestServedModuleHasItsPlaceInAFullDirectoryW20: a scan takes a module that serves although so many
// others, each of a kind of its own, come before it.
func TestServedModuleHasItsPlaceInAFullDirectoryW20(t *testing.T) {
	dir := t.TempDir()
	const serves = "Zeta.g_v1_v2"
	for i := range scanFiles + 10 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("A%d.g_v1_v2.wasm", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, serves+".wasm"), []byte("module"), 0o644); err != nil {
		t.Fatal(err)
	}
	d := newDirectory(Owner{Dir: dir}, nil, nil, watch.ReadLimits{Files: scanFiles})
	for _, served := range []bool{false, true} {
		names := map[string]artifact.Name{}
		if served {
			names[serves] = artifact.Name{}
		}
		s := d.scan(names)
		if found := slices.ContainsFunc(s.Files, func(f watch.File) bool { return f.Name == serves+".wasm" }); s.Err != nil || found != served {
			t.Errorf("it serves: %v; it was found: %v, %v", served, found, s.Err)
		}
	}
}

// TestChangedFileIsScannedAgain: a worker that finds a file changed since its scan requests another
// scan, because the watcher may have reported the change before that one.
func TestChangedFileIsScannedAgain(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	r := resting(t)
	t.Cleanup(func() { r.state.current.Release() })
	f := &following{t: t, dir: r.config.Dir}
	d := r.directories.all[0]
	requested := 0
	d.again = func() { requested++ }
	f.put(file, "good_echo")
	for _, test := range []struct {
		name, change string
		want         int // requests so far
	}{
		{"changed", "good_refuse", 1},
		{"unchanged", "", 1},
	} {
		r.plan("", nil, d.scan(nil))
		if test.change != "" {
			f.put(file, test.change)
		}
		j, tried, end := r.queue.next(t.Context())
		r.try(t.Context(), j, tried, end)
		if requested != test.want || len(r.queue.pending()) != 0 {
			t.Errorf("%s: %d scans requested, want %d; %d files wait", test.name, requested, test.want, len(r.queue.pending()))
		}
	}
	if len(r.state.current.Bindings()) != 2 {
		t.Error("the module does not serve after the second scan")
	}
}
