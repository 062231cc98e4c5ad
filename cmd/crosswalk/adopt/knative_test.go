package adopt

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// TestKnativeSetsDefaults adopts methods with a context: results in a version with SetDefaults get
// their defaults, as knative's webhook sets them.
func TestKnativeSetsDefaults(t *testing.T) {
	p := loadOperator(t, "./knative/v1", "./knative/v2")
	k := only(t, p)
	x, _, err := extract.Kind(p, k)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	roots, _ := x.Proof.Conversions(k)
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

// TestKnativeConvertsByHubOfWebhook adopts three versions. The methods of the stored version refuse, but
// the webhook converts by way of another, which keeps values between two versions that the stored one lacks.
func TestKnativeConvertsByHubOfWebhook(t *testing.T) {
	patterns := []string{"./events/v1", "./events/v2", "./events/v3"}
	load := func(roots ...string) discover.Resource {
		p, err := operator.Load(context.Background(), operator.Workplace{Dir: testOperator, Patterns: patterns, Roots: roots})
		if err != nil {
			t.Fatal(err)
		}
		return only(t, p)
	}
	const unknown = "the hub is not known: knative's webhook converts between 3 versions by way of one of them, and the operator's source has no GroupKindConversion with HubVersion and Zygotes for example.com/operator/events/v1.Event; name the packages of two versions, whose conversions need no third"
	if k := load(); k.Problem == nil || k.Problem.Error() != unknown {
		t.Errorf("without the webhook's source: %v, want %s", k.Problem, unknown)
	}
	k := load(testOperator)
	if k.Problem != nil || k.Hub.APIVersion != "events.example.com/v1" || len(k.Spokes) != 2 {
		t.Fatalf("the hub is %s with %d spokes, %v", k.Hub.APIVersion, len(k.Spokes), k.Problem)
	}
	if !strings.Contains(k.HubAt, "main.go:21:") {
		t.Errorf("the hub is named at %s", k.HubAt)
	}
	dir := t.TempDir()
	if err := project.WriteProject(dir, project.Project{Resource: k, Module: k.File()}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`HubType[v1.Event]("events.example.com/v1")`,
		"func(spoke *v2.Event, hub *v1.Event) error { return hub.ConvertFrom(context.Background(), spoke) }",
		"func(hub *v1.Event, spoke *v3.Event) error { return hub.ConvertTo(context.Background(), spoke) }",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("main.go has no %s:\n%s", want, text)
		}
	}
}
