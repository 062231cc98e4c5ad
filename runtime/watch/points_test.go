package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWatchPoints(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	at := func(path string) string { return filepath.Join(top, path) }
	must(t, os.MkdirAll(at("real/v1/modules"), 0o755))
	must(t, os.MkdirAll(at("links"), 0o755))
	must(t, os.Symlink("../real/./v1", at("links/current")))
	must(t, os.Symlink(at("links/current"), at("outer")))
	must(t, os.Symlink("circle", at("circle")))
	for _, tc := range []struct {
		path, resolved string
		points         []string
	}{
		{"real/v1/modules", "real/v1/modules", []string{"real/v1", "real/v1/modules"}},
		{"real/v1/../v1/modules/", "real/v1/modules", []string{"real/v1", "real/v1/modules"}},
		{"links/current", "real/v1", []string{"links", "real", "real/v1"}},
		{"outer/modules", "real/v1/modules", []string{"", "links", "real/v1", "real/v1/modules"}},
		{"real/v2/modules", "real/v2/modules", []string{"real"}},
		{"circle", "circle", []string{"", "circle"}},
	} {
		t.Run(tc.path, func(t *testing.T) {
			resolved, points := watchPoints(at(tc.path))
			want := make([]string, len(tc.points))
			for i, p := range tc.points {
				want[i] = at(p)
			}
			if resolved != at(tc.resolved) || !slices.Equal(points, want) {
				t.Errorf("%s, %q; want %s, %q", resolved, points, at(tc.resolved), want)
			}
		})
	}
	if resolved, points := watchPoints("/"); resolved != "/" || fmt.Sprint(points) != "[/]" {
		t.Errorf("/ is %s, %q", resolved, points)
	}
}
