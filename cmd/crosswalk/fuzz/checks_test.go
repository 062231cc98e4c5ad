package fuzz

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

func TestCulprit(t *testing.T) {
	text := encode(map[string]any{"kind": "K", "metadata": map[string]any{"name": "n"}, "spec": map[string]any{"a": int64(1), "b": int64(2)}})
	value, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{"a": "spec.a", "b": "spec.b", "": "."} {
		refuses := check{run: func(_ context.Context, _, _ *version, objects []*subject) ([][]symptom, error) {
			symptoms := make([][]symptom, len(objects))
			for i, o := range objects {
				spec, _ := o.value["spec"].(map[string]any)
				if _, there := spec[field]; there || field == "" {
					symptoms[i] = []symptom{{property: Refused}}
				}
			}
			return symptoms, nil
		}}
		v := &version{Version: &apiserver.Version{}}
		got, err := refuses.culprit(context.Background(), v, v, &subject{value: value, text: text}, symptom{property: Refused})
		if err != nil || got != want {
			t.Errorf("a module that refuses objects with %q: %s, %v; want %s", field, got, err, want)
		}
	}
}

func TestFirstLineIsUTF8(t *testing.T) {
	if got := firstLine("x" + strings.Repeat("é", maxShown) + "\nmore"); !utf8.ValidString(got) || len(got) != maxShown-1 {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}
