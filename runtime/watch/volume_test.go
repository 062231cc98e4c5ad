package watch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/kubelet"
)

// volume is a directory that a kubelet fills.
type volume struct {
	kubelet.Volume
	t   testing.TB
	dir string
}

func newVolume(t testing.TB) *volume { return volumeAt(t, t.TempDir()) }

func volumeAt(t testing.TB, dir string) *volume {
	return &volume{kubelet.Volume{Dir: dir}, t, dir}
}

func (v *volume) write(payload map[string]string) {
	v.t.Helper()
	files := map[string][]byte{}
	for name, content := range payload {
		files[name] = []byte(content)
	}
	must(v.t, v.Write(files))
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

// contents returns the files of a snapshot, in a form to compare.
func contents(s Snapshot) map[string]string {
	m := map[string]string{}
	for _, f := range s.Files {
		m[f.Name] = string(f.Content)
	}
	return m
}

// reasons returns the skipped files of a snapshot, in the same form.
func reasons(s Snapshot) map[string]string {
	m := map[string]string{}
	for _, f := range s.Skipped {
		m[f.Name] = f.Reason
	}
	return m
}

func wasm(name string) bool { return strings.HasSuffix(name, ".wasm") }
