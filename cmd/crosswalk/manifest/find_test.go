package manifest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPlaces(t *testing.T) {
	match := func(group, version, kind string) bool {
		return group == "example.com" && version == "v1" && (kind == "Pool" || kind == "")
	}
	for name, test := range map[string]struct {
		text string
		want []int
	}{
		"an object":            {"# pools\napiVersion: example.com/v1\nkind: Pool\n", []int{2}},
		"the second document":  {"apiVersion: v1\nkind: Secret\n---\nkind: Pool\napiVersion: \"example.com/v1\" # old\n", []int{5}},
		"an item of a list":    {"apiVersion: v1\nkind: List\nitems:\n- kind: Pool\n  apiVersion: example.com/v1\n- {apiVersion: example.com/v1, kind: Pool}\n", []int{5, 6}},
		"JSON on one line":     {`{"kind":"Pool","apiVersion":"example.com/v1"}`, []int{1}},
		"a patch without kind": {"apiVersion: example.com/v1\nmetadata: {name: a}\n", []int{1}},
		"a patch's target":     {"patches:\n- path: a.yaml\n  target:\n    group: example.com\n    version: v1\n    kind: Pool\n", []int{5}},
		"a template":           {"{{- if .Values.pool }}\napiVersion: example.com/v1\nkind: Pool\n{{- end }}\n", []int{2}},
		"an anchor":            {"a: &a {x: 1}\nb: *a\napiVersion: example.com/v1\nkind: Pool\n", []int{3}},
		"another version":      {"apiVersion: example.com/v10\nkind: Pool\n", nil},
		"another kind":         {"apiVersion: example.com/v1\nkind: Peer\n", nil},
		"a template of another": {
			"{{ if .Values.pool }}\napiVersion: example.com/v1\nkind: Peer\n{{ end }}\n", nil,
		},
		"a patch in a kustomization": {"patches:\n- patch: |\n    apiVersion: example.com/v1\n    kind: Pool\n", []int{3}},
		"a marker in a text":         {"a: |\n  x\n---\napiVersion: example.com/v1\nkind: Pool\n", []int{4}},
		"a comment":                  {"# apiVersion: example.com/v1\nkind: Pool\n", nil},
		"a joined file with a mark":  {"\ufeffapiVersion: v1\nkind: Secret\n---\n\ufeffapiVersion: example.com/v1\nkind: Pool\n", []int{4}},
		"empty":                      {"", nil},
		"not a text":                 {"\x00\xff\x00apiVersion", nil},
	} {
		var got []int
		for _, d := range split([]byte(test.text)) {
			got = append(got, d.lines(match)...)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}

	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": "apiVersion: example.com/v1\nkind: Pool\n", "sub/b.yml": "\napiVersion: example.com/v1\nkind: Pool\n",
		"README.md": "apiVersion: example.com/v1\nkind: Pool\n", ".git/c.yaml": "apiVersion: example.com/v1\nkind: Pool\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{filepath.Join(dir, "a.yaml") + ":1", filepath.Join(dir, "sub", "b.yml") + ":2"}
	if got, n, err := Places(t.Context(), dir, match); err != nil || n != 2 || !slices.Equal(got, want) {
		t.Errorf("%q in %d files, %v", got, n, err)
	}
	if got, _, err := Places(t.Context(), filepath.Join(dir, "README.md"), match); err != nil || len(got) != 1 {
		t.Errorf("a file by its name: %q, %v", got, err)
	}
	if _, _, err := Places(t.Context(), filepath.Join(dir, "none"), match); err == nil {
		t.Error("a directory that does not exist is taken")
	}
	empty := t.TempDir()
	if _, _, err := Places(t.Context(), empty, match); err == nil || err.Error() != empty+" has no .yaml, .yml or .json files in it" {
		t.Errorf("an empty directory: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Places(ended, dir, match); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestReadIsBounded asserts that a file which has no size is read no further than its bound.
func TestReadIsBounded(t *testing.T) {
	endless := "/dev/zero"
	if _, err := os.Stat(endless); err != nil {
		t.Skip(err)
	}
	if _, err := readFile(endless); err == nil || !strings.HasSuffix(err.Error(), "/dev/zero is larger than 16 MiB") {
		t.Error(err)
	}
}
