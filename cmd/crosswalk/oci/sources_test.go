package oci

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
)

// TestPullSeveralImages pulls entries of a catalogue, which share a signed list.
func TestPullSeveralImages(t *testing.T) {
	host := serve(t, handler())
	one := map[string]string{"A.x.io_v1_v2.wasm": "a", "SHA256SUMS": "list"}
	two := map[string]string{"B.x.io_v1_v2.wasm": "b", "SHA256SUMS": "list"}
	both := maps.Clone(one)
	maps.Copy(both, two)
	a, b := push(t, host+"/a:v1", one), push(t, host+"/b:v1", two)
	dir := t.TempDir()
	for _, tc := range []struct {
		name    string
		refs    []string
		changed bool
		want    map[string]string
	}{
		{"two", []string{host + "/a:v1", host + "/b:v1"}, true, both},
		{"again", []string{host + "/a:v1", host + "/b:v1"}, false, both},
		{"pinned", []string{a, b}, false, both},
		{"one", []string{host + "/b:v1"}, true, two},
		{"in another order", []string{b, a}, true, both},
	} {
		t.Run(tc.name, func(t *testing.T) {
			result, err := Pull(context.Background(), Registry{}, tc.refs, dir)
			if err != nil {
				t.Fatal(err)
			}
			if result.Changed != tc.changed || result.Changed && result.Files != len(tc.want) {
				t.Errorf("%+v, want %d files, changed %v", result, len(tc.want), tc.changed)
			}
			holds(t, dir, tc.want)
		})
	}
	for _, tc := range []struct {
		name string
		more map[string]string
		want string
	}{
		{"another list", map[string]string{"C.x.io_v1_v2.wasm": "c", "SHA256SUMS": "other"}, "/a:v1 and " + host + "/c:v1: both have a file SHA256SUMS, with different contents: name images of one release"},
		{"too many files", numbered(maxFiles), "the image has more than 512 files"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			push(t, host+"/c:v1", tc.more)
			if _, err := Pull(context.Background(), Registry{}, []string{host + "/a:v1", host + "/c:v1"}, dir); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			holds(t, dir, both)
		})
	}
	if left, err := fs.Glob(os.DirFS(dir), "*/..image*"); err != nil || len(left) > 0 {
		t.Errorf("%v is left behind, %v", left, err)
	}
	if _, err := Pull(context.Background(), Registry{}, nil, dir); err == nil {
		t.Error("no reference is accepted")
	}
}

// numbered are so many files.
func numbered(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files["f"+strings.Repeat("x", i%100)+string(rune('a'+i/100))] = ""
	}
	return files
}
