package watch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// volume writes a directory as a kubelet's AtomicWriter does: each version in a directory of its own, named for the time;
// a link ..data that is switched from one to the next by renaming; for each key a link into ..data, made and removed after
// the switch; the version before removed last.
type volume struct {
	t   testing.TB
	dir string
	// linksFirst makes the links of new keys before the switch, as older kubelets did: for a moment they dangle.
	linksFirst bool
}

func newVolume(t testing.TB) *volume {
	t.Helper()
	return &volume{t: t, dir: t.TempDir()}
}

func (v *volume) write(payload map[string]string) {
	v.t.Helper()
	before, _ := os.Readlink(filepath.Join(v.dir, dataLink)) // none the first time
	version, err := os.MkdirTemp(v.dir, time.Now().UTC().Format("..2006_01_02_15_04_05."))
	v.must(err)
	v.must(os.Chmod(version, 0o755))
	for name, content := range payload {
		file := filepath.Join(version, name)
		v.must(os.MkdirAll(filepath.Dir(file), 0o755))
		v.must(os.WriteFile(file, []byte(content), 0o644))
	}
	if v.linksFirst {
		v.addLinks(payload)
	}
	tmp := filepath.Join(v.dir, "..data_tmp")
	v.must(os.Symlink(filepath.Base(version), tmp))
	v.must(os.Rename(tmp, filepath.Join(v.dir, dataLink)))
	if !v.linksFirst {
		v.addLinks(payload)
	}
	v.removeLinks(payload)
	if before != "" {
		v.must(os.RemoveAll(filepath.Join(v.dir, before)))
	}
}

func (v *volume) addLinks(payload map[string]string) {
	v.t.Helper()
	for name := range payload {
		top, _, _ := strings.Cut(name, "/")
		link := filepath.Join(v.dir, top)
		if _, err := os.Lstat(link); err != nil {
			v.must(os.Symlink(filepath.Join(dataLink, top), link))
		}
	}
}

func (v *volume) removeLinks(payload map[string]string) {
	v.t.Helper()
	keep := map[string]bool{}
	for name := range payload {
		top, _, _ := strings.Cut(name, "/")
		keep[top] = true
	}
	entries, err := os.ReadDir(v.dir)
	v.must(err)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "..") && !keep[e.Name()] {
			v.must(os.Remove(filepath.Join(v.dir, e.Name())))
		}
	}
}

func (v *volume) must(err error) {
	v.t.Helper()
	must(v.t, err)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put writes a file that was finished long ago.
func put(t testing.TB, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, name)
	must(t, os.WriteFile(file, []byte(content), 0o644))
	age(t, file)
}

func age(t testing.TB, file string) {
	t.Helper()
	long := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(file, long, long))
}

// contents is what a snapshot holds, in a form to compare.
func contents(s Snapshot) map[string]string {
	m := map[string]string{}
	for _, f := range s.Files {
		m[f.Name] = string(f.Content)
	}
	return m
}

// reasons is what a snapshot lacks, likewise.
func reasons(s Snapshot) map[string]string {
	m := map[string]string{}
	for _, f := range s.Skipped {
		m[f.Name] = f.Reason
	}
	return m
}

func wasm(name string) bool { return strings.HasSuffix(name, ".wasm") }
