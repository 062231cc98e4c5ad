package e2e

import (
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// TestDetachTellsTheController: with the stanza, detach writes the value of the annotation by which
// the controller and the admission policies know that the stanza is not lost. A definition that no
// controller keeps gets no annotation.
func TestDetachTellsTheController(t *testing.T) {
	crd, p, cluster := detached(t, "v1")
	g := attach.Gateway{URL: p.URL(), CA: p.CA}
	change := func(change func(*apiextensions.CustomResourceDefinition)) {
		t.Helper()
		if err := shared.uncached.Update(deadline(t), crd.Name, change); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name  string
		given func(*apiextensions.CustomResourceDefinition)
		want  string
	}{
		{"annotated", func(crd *apiextensions.CustomResourceDefinition) { crd.Annotations[attach.Annotation] = "true" }, "false"},
		{"with a status", func(crd *apiextensions.CustomResourceDefinition) {
			crd.Annotations[attach.StatusAnnotation] = "Attached"
		}, "false"},
		{"annotated, and the stanza of another manager", func(crd *apiextensions.CustomResourceDefinition) {
			crd.Annotations[attach.Annotation] = "true"
			crd.Spec.Conversion = g.Stanza()
			crd.Spec.Conversion.Webhook.ConversionReviewVersions = []string{"v1", "v1beta1"}
		}, "false"},
		{"annotated, without a stanza", func(crd *apiextensions.CustomResourceDefinition) {
			crd.Annotations[attach.Annotation] = "true"
			crd.Spec.Conversion = nil
		}, "false"},
		{"without a controller", func(*apiextensions.CustomResourceDefinition) {}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := cluster.Attach(deadline(t), find(t, cluster, crd.Name), g, false); err != nil {
				t.Fatal(err)
			}
			change(func(crd *apiextensions.CustomResourceDefinition) {
				crd.Annotations = map[string]string{}
				tc.given(crd)
			})
			if _, err := cluster.Detach(deadline(t), find(t, cluster, crd.Name), true); err != nil {
				t.Fatal(err)
			}
			if now := definition(t, crd.Name); now.Annotations[attach.Annotation] == "false" {
				t.Error("a dry run wrote the annotation")
			}
			outcome, err := cluster.Detach(deadline(t), find(t, cluster, crd.Name), false)
			if err != nil {
				t.Fatal(err)
			}
			now := definition(t, crd.Name)
			if now.Annotations[attach.Annotation] != tc.want || now.Spec.Conversion.Strategy != apiextensions.NoneConverter {
				t.Errorf("%s (%s): the annotations are %v, the stanza %s", outcome.Action, outcome.Message, now.Annotations, now.Spec.Conversion.Strategy)
			}
		})
	}
}

// TestAnnotateAgain: the controller gives the annotation back only to the very definition that it saw.
func TestAnnotateAgain(t *testing.T) {
	crd, _, cluster := detached(t, "v1")
	target := find(t, cluster, crd.Name)
	if !target.Lost() {
		t.Fatal("a definition without a stanza and an annotation is not lost")
	}
	if err := shared.uncached.Update(deadline(t), crd.Name, func(crd *apiextensions.CustomResourceDefinition) {
		crd.Annotations = map[string]string{attach.Annotation: "false"}
	}); err != nil {
		t.Fatal(err)
	}
	if err := cluster.AnnotateAgain(deadline(t), target); err == nil || !strings.Contains(err.Error(), "has changed since: looking again") {
		t.Errorf("annotating a definition that somebody has detached meanwhile: %v", err)
	}
	if now := definition(t, crd.Name); now.Annotations[attach.Annotation] != "false" {
		t.Errorf("the annotations are %v", now.Annotations)
	}
	if err := shared.uncached.Update(deadline(t), crd.Name, func(crd *apiextensions.CustomResourceDefinition) { crd.Annotations = nil }); err != nil {
		t.Fatal(err)
	}
	if err := cluster.AnnotateAgain(deadline(t), find(t, cluster, crd.Name)); err != nil {
		t.Error(err)
	}
	if now := definition(t, crd.Name); now.Annotations[attach.Annotation] != "true" {
		t.Errorf("the annotations are %v", now.Annotations)
	}
}
