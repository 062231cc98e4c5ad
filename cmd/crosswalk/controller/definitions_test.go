package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

func TestFitLeavesOutTheLargest(t *testing.T) {
	files := map[string]string{"a": "12345", "b": "1234567890", "c": "123"}
	if left := fit(files, 12, nil); !slices.Equal(left, []string{"b"}) || len(files) != 2 {
		t.Errorf("left out %q, kept %q", left, files)
	}
	long := strings.Repeat("l", maxKey)
	files = map[string]string{"a": "12345", long + "o": "1", long: "1"}
	if left := fit(files, 300, nil); !slices.Equal(left, []string{long + "o"}) || len(files) != 2 {
		t.Errorf("left out %q, kept %q", left, files)
	}
}

// TestFitSharesTheRoom: many small definitions of one team leave room for a large one of another team, and
// definitions that no gateway converts leave room for those that one does.
func TestFitSharesTheRoom(t *testing.T) {
	large := "pools.good.example.org" + copySuffix
	for _, tc := range []struct {
		what     string
		groups   int // of the other definitions
		attached bool
	}{{"of one group", 1, false}, {"of many groups", 100, true}} {
		files := map[string]string{large: strings.Repeat("x", 300)}
		for i := range 100 {
			files[fmt.Sprintf("as%d.bad%d.example.org%s", i, i%tc.groups, copySuffix)] = strings.Repeat("x", 20)
		}
		left := fit(files, 1000, map[string]bool{large: tc.attached})
		total := 0
		for name, text := range files {
			total += len(name) + len(text)
		}
		if files[large] == "" || total > 1000 || total < 900 || len(left)+len(files) != 101 {
			t.Errorf("%s: %d bytes are kept, the large one: %v", tc.what, total, files[large] != "")
		}
	}
}

// TestCopiesAreWrittenOnChange: a run that changes nothing writes nothing. The copy of a definition that
// could not be read stays.
func TestCopiesAreWrittenOnChange(t *testing.T) {
	w := newWorld(t, nil)
	first, second := tenants("1", nil), tenants("2", nil)
	second.Name = "others.b.example.org"
	first.Spec.Conversion = w.gateway.Stanza()
	of := func(crds ...*apiextensions.CustomResourceDefinition) []*attach.Target {
		return []*attach.Target{{Definitions: crds}}
	}
	written := &core.ConfigMap{}
	for _, step := range []struct {
		what    string
		targets []*attach.Target
		unread  []string
		writes  bool
		names   []string
	}{
		{"both", of(first, second), nil, true, []string{"others.b.example.org.crd.yaml", "tenants.b.example.org.crd.yaml"}},
		{"the same again", of(first, second), nil, false, []string{"others.b.example.org.crd.yaml", "tenants.b.example.org.crd.yaml"}},
		{"one that is not read", of(first), []string{second.Name}, false, []string{"others.b.example.org.crd.yaml", "tenants.b.example.org.crd.yaml"}},
		{"one less", of(first), nil, true, []string{"tenants.b.example.org.crd.yaml"}},
	} {
		before := written.ResourceVersion
		left, err := w.copyDefinitions(t.Context(), step.targets, step.unread)
		if err == nil {
			err = w.client.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: w.definitions}, written)
		}
		if err != nil || len(left) != 0 {
			t.Fatal(err, left)
		}
		if wrote := written.ResourceVersion != before; wrote != step.writes {
			t.Errorf("%s: written: %v", step.what, wrote)
		}
		if names := slices.Sorted(maps.Keys(written.Data)); !slices.Equal(names, step.names) {
			t.Errorf("%s: copies %v, want %v", step.what, names, step.names)
		}
		if text := written.Data["tenants.b.example.org.crd.yaml"]; strings.Contains(text, "caBundle") || !strings.Contains(text, `"plural":"tenants"`) {
			t.Errorf("%s: the copy is %s", step.what, text)
		}
	}
}

// TestOwnStatusCausesNoRun: a run writes the status, so the status must not cause a run.
func TestOwnStatusCausesNoRun(t *testing.T) {
	definition := func(generation int64, annotations ...string) *metav1.PartialObjectMetadata {
		d := &metav1.PartialObjectMetadata{}
		d.Generation, d.Annotations = generation, map[string]string{}
		for i := 0; i < len(annotations); i += 2 {
			d.Annotations[annotations[i]] = annotations[i+1]
		}
		return d
	}
	attached := definition(1, attach.Annotation, "true", attach.StatusAnnotation, "Attached")
	for _, tc := range []struct {
		what string
		now  *metav1.PartialObjectMetadata
		want bool
	}{
		{"nothing", definition(1, attach.Annotation, "true", attach.StatusAnnotation, "Attached"), false},
		{"the status", definition(1, attach.Annotation, "true", attach.StatusAnnotation, "Failing: port 40001"), false},
		{"the status removed", definition(1, attach.Annotation, "true"), false},
		{"the annotation", definition(1, attach.Annotation, "false", attach.StatusAnnotation, "Attached"), true},
		{"another annotation", definition(1, attach.Annotation, "true", attach.StatusAnnotation, "Attached", "a", "b"), true},
		{"the spec", definition(2, attach.Annotation, "true", attach.StatusAnnotation, "Attached"), true},
	} {
		if got := changed(event.UpdateEvent{ObjectOld: attached, ObjectNew: tc.now}); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.what, got, tc.want)
		}
	}
	if changed(event.UpdateEvent{ObjectOld: &metav1.PartialObjectMetadata{}, ObjectNew: &metav1.PartialObjectMetadata{}}) {
		t.Error("no annotations: a run")
	}
	if attached.Annotations[attach.StatusAnnotation] != "Attached" {
		t.Error("the object in the cache was changed")
	}
}
