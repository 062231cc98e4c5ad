package compare

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
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
	x, _, err := extract.Kind(p, k, true)
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
