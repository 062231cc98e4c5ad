package compare

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// TestInputs finds constants of the conversions and their types, samples in the operator's files
// and of the author, and objects made from the definition.
func TestInputs(t *testing.T) {
	source := t.TempDir()
	if err := os.CopyFS(source, os.DirFS(testOperator)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"config/samples/a.yaml": `{"apiVersion":"demo.example.com/v1","kind":"Demo","spec":{"mode":"a"}}`,
		"config/samples/b.json": `{"apiVersion":"other.example.com/v1","kind":"Demo","note":"demo.example.com"}`,
		"vendor/c.yaml":         `{"apiVersion":"demo.example.com/v1","kind":"Demo","spec":{"mode":"vendored"}}`,
		"config/crd.yaml":       `{"kind":"CustomResourceDefinition","spec":{"group":"demo.example.com","names":{"kind":"Demo"}}}`,
		"chart/broken.yaml":     `{{ "kind": Demo demo.example.com`,
	} {
		name = filepath.Join(source, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, k := load(t, "./api/v1", "./api/v2")
	for _, pkg := range p.Initial { // all have one module
		pkg.Module.Dir = source
	}
	x, _, err := extract.Kind(p, k)
	if err != nil {
		t.Fatal(err)
	}
	const mine = `{"apiVersion":"demo.example.com/v2","kind":"Demo","spec":{"mode":"mine"}}`
	o := Sources{
		Given: []json.RawMessage{json.RawMessage(mine), json.RawMessage(mine)},
		Objects: func(text []byte) []json.RawMessage {
			if !json.Valid(text) {
				return nil
			}
			return []json.RawMessage{text}
		},
		Generate: func(_ context.Context, definition []byte, apiVersion string, n int, given []json.RawMessage) []json.RawMessage {
			if !json.Valid(definition) || n != maxGenerated {
				t.Errorf("%d objects of %s are wanted", n, definition)
			}
			return []json.RawMessage{json.RawMessage(`{"of":"` + apiVersion + `"}`)}
		},
	}
	in := o.find(context.Background(), p, k, x)
	if !slices.Contains(in.Words, "print") || slices.Contains(in.Words, "not a %v") {
		t.Errorf("the words are %q", in.Words)
	}
	for version, want := range map[string]string{
		"demo.example.com/v1": `[{"apiVersion":"demo.example.com/v1","kind":"Demo","spec":{"mode":"a"}}] [{"of":"demo.example.com/v1"}]`,
		"demo.example.com/v2": `[` + mine + `] [{"of":"demo.example.com/v2"}]`,
	} {
		samples, _ := json.Marshal(in.Samples[version])
		objects, _ := json.Marshal(in.Objects[version])
		if got := string(samples) + " " + string(objects); got != want {
			t.Errorf("of %s\ngot  %s\nwant %s", version, got, want)
		}
	}
}

// TestSamplesFollowNoLinksT16 tests that a link among the samples, which could lead to a device without an
// end, is not read.
func TestSamplesFollowNoLinksT16(t *testing.T) {
	const linked, regular = `{"apiVersion":"demo.example.com/v1","kind":"Demo"}`, `{"apiVersion":"demo.example.com/v1","kind":"Demo","spec":{}}`
	source, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere")
	for name, text := range map[string]string{elsewhere: linked, filepath.Join(source, "file.yaml"): regular} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, filepath.Join(source, "link.yaml")); err != nil {
		t.Skip(err)
	}
	k := discover.Resource{Name: "Demo", Group: "demo.example.com"}
	k.Hub.APIVersion = "demo.example.com/v1"
	var read []string
	o := Sources{Objects: func(text []byte) []json.RawMessage {
		read = append(read, string(text))
		return nil
	}}
	p := &operator.Program{Initial: []*packages.Package{{Module: &packages.Module{Dir: source, Version: "v1.0.0"}}}}
	o.samples(p, k, map[string][]json.RawMessage{}, map[string]bool{})
	if !slices.Equal(read, []string{regular}) {
		t.Errorf("%q are read", read)
	}
}
