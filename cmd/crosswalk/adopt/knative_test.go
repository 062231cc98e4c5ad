package adopt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// TestKnativeSetsDefaults adopts methods with a context: results in a version with SetDefaults get
// their defaults, as knative's webhook sets them.
func TestKnativeSetsDefaults(t *testing.T) {
	p := loadOperator(t, "./knative/v1", "./knative/v2")
	k := only(t, p)
	x, hidden, err := extract.Kind(p, k, true)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	roots, _ := hidden.Proof.Conversions(k)
	for _, f := range roots {
		names = append(names, f.RelString(nil))
	}
	const pkg = "example.com/operator/knative/"
	if want := []string{"(*" + pkg + "v2.Demo).SetDefaults", "(*" + pkg + "v1.Demo).ConvertTo", "(*" + pkg + "v1.Demo).ConvertFrom"}; !slices.Equal(names, want) {
		t.Errorf("the roots are %q", names)
	}
	if u := x.Units[k.Hub.Defaults]; u == nil || !x.Reached[u] {
		t.Error("SetDefaults is not copied")
	}
	dir := t.TempDir()
	if err := project.WriteProject(dir, project.Project{Resource: k, Module: k.File()}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"main.go":       `kubebuilder.WithDefaults(kubebuilder.HubType[v2.Demo]("knative.example.com/v2"), func(o *v2.Demo) { o.SetDefaults(context.Background()) })`,
		"adopt_test.go": `adopttest.WithDefaults(adopttest.Hub[v2.Demo]("knative.example.com/v2"), func(o *v2.Demo) { o.SetDefaults(context.Background()) })`,
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), want) || strings.Count(string(text), "WithDefaults") != 1 {
			t.Errorf("%s has no %s, %v:\n%s", name, want, err, text)
		}
	}
}
