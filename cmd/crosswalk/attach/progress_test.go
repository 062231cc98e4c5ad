package attach

import (
	"slices"
	"testing"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestPlanReportsProgress: a plan says how far it is while it reads and converts objects, and a
// caller that wants no lines gets none.
func TestPlanReportsProgress(t *testing.T) {
	s, c := newFieldsServer(t, 3, nil)
	s.crd.Spec.Versions[0].Served = true
	target := &Target{Name: s.crd.Name, resource: crdResource, Definitions: []*apiextensions.CustomResourceDefinition{s.crd}}
	measure := func(goal Goal, quiet time.Duration) {
		t.Helper()
		p, err := newPlanner(c, target, goal)
		if err != nil {
			t.Fatal(err)
		}
		p.quiet = quiet
		survey, err := c.survey(t.Context(), p.crd, p.progress())
		if err != nil || survey.Objects != 3 {
			t.Fatalf("%d objects were read: %v", survey.Objects, err)
		}
		if step := p.convertObjects(t.Context(), Done, survey.Objects); step.State != Done {
			t.Errorf("the step is %+v", step)
		}
	}
	var lines []string
	goal := Goal{Remove: "v1", Report: func(p Progress) { lines = append(lines, p.Text) }}
	measure(goal, 0)
	want := []string{"managedFields of 3 objects read", "0 of 3 objects converted there and back", "1 of 3 objects converted there and back", "2 of 3 objects converted there and back"}
	if !slices.Equal(lines, want) {
		t.Errorf("the lines are %q, want %q", lines, want)
	}
	lines = nil
	measure(goal, time.Hour)
	if len(lines) > 0 {
		t.Errorf("the lines are %q although the measurement is short", lines)
	}
	measure(Goal{Remove: "v1"}, 0)
}
