package yamlfile

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestText(t *testing.T) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte("kind: A\nspec: {names: {kind: B}, group: 1}\n"), &doc); err != nil {
		t.Fatal(err)
	}
	for want, path := range map[string][]string{"A": {"kind"}, "B": {"spec", "names", "kind"}} {
		if got := Text(doc.Content[0], path...); got != want {
			t.Errorf("%v: %q, want %q", path, got, want)
		}
	}
	for _, path := range [][]string{{"spec"}, {"spec", "group"}, {"kind", "x"}, {"none"}} {
		if got := Text(doc.Content[0], path...); got != "" {
			t.Errorf("%v: %q", path, got)
		}
	}
}
