package attach

import (
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestConversionNeeded: status, explain, plan and retire ask for a webhook where the schemas of the used
// versions differ, or do not name the fields, and nowhere else.
func TestConversionNeeded(t *testing.T) {
	open := true
	schemaOf := func(crd *apiextensions.CustomResourceDefinition, v int) *apiextensions.JSONSchemaProps {
		return crd.Spec.Versions[v].Schema.OpenAPIV3Schema
	}
	copySchema := func(crd *apiextensions.CustomResourceDefinition) {
		crd.Spec.Versions[0].Schema = crd.Spec.Versions[1].Schema.DeepCopy()
		crd.Spec.Versions[0].Served = true
	}
	for _, c := range []struct {
		name   string
		change func(*apiextensions.CustomResourceDefinition)
		state  string
		why    string
	}{
		{"schemas that differ", func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Versions[0].Served = true }, StateUnconverted, "v1 and v2 differ: spec.address: "},
		{"a version that nobody uses", func(*apiextensions.CustomResourceDefinition) {}, StateOneVersion, ""},
		{"one schema", copySchema, StateOneSchema, ""},
		{"other descriptions", func(crd *apiextensions.CustomResourceDefinition) {
			copySchema(crd)
			schemaOf(crd, 0).Description = "old"
		}, StateOneSchema, ""},
		{"one more field", func(crd *apiextensions.CustomResourceDefinition) {
			copySchema(crd)
			schemaOf(crd, 1).Properties["more"] = apiextensions.JSONSchemaProps{Type: "string"}
		}, StateUnconverted, "v2 and v1 differ: more: "},
		{"schemas that name no field", func(crd *apiextensions.CustomResourceDefinition) {
			copySchema(crd)
			for v := range crd.Spec.Versions {
				schemaOf(crd, v).Properties = map[string]apiextensions.JSONSchemaProps{"spec": {Type: "object", XPreserveUnknownFields: &open}}
			}
		}, StateUnconverted, "v1 and v2 differ: spec: the schema of v1 names no field of it"},
		{"no schemas", func(crd *apiextensions.CustomResourceDefinition) {
			copySchema(crd)
			for v := range crd.Spec.Versions {
				crd.Spec.Versions[v].Schema = nil
			}
		}, StateUnconverted, "v1 and v2 differ: the object: the schema of v1 names no field"},
	} {
		crd := pools(t)
		c.change(crd)
		why := needed(t.Context(), crd)
		if !strings.HasPrefix(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s: %q, want %q", c.name, why, c.why)
		}
		if row := (Gateway{Name: "crosswalk"}).row(t.Context(), crd, nil); row.State != c.state {
			t.Errorf("%s: the state is %s, want %s", c.name, row.State, c.state)
		}
		target := &Target{Name: crd.Name, Definitions: []*apiextensions.CustomResourceDefinition{crd}}
		var checks Checks
		new(examiner).examineStanza(t.Context(), target, crd.Spec.Conversion, &checks)
		if failed := checks.Err() != nil; failed != (c.why != "") {
			t.Errorf("%s: explain says %v", c.name, checks)
		}
		p := &planner{cluster: &Cluster{}, crd: crd, target: target, goal: Goal{To: "v2"}}
		step := Step{State: Blocked}
		if c.why == "" {
			p.target.object, step = definition(crd.Name, "1"), p.conversion(t.Context(), Survey{}, nil)
		}
		if (step.State == Done) != (c.why == "") {
			t.Errorf("%s: the plan says %v", c.name, step)
		}
		if c.state == StateOneSchema {
			if objects := p.convertObjects(t.Context(), Done, 0); objects.State != Done || step.Evidence[0] != "nothing is to be converted: v1, v2 have one schema" {
				t.Errorf("%s: the plan says %v, %v", c.name, step, objects)
			}
		}
	}
}
