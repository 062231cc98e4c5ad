package attach

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
	clienttest "k8s.io/client-go/testing"
)

// tenants is a target; conversion is the text of its spec.conversion, empty for none.
func tenants(t *testing.T, conversion string, annotations map[string]string) *Target {
	t.Helper()
	o := definition("tenants.b.example.org", "1")
	o.SetResourceVersion("7")
	o.SetAnnotations(annotations)
	if conversion != "" {
		var value map[string]any
		if err := unstructuredFromJSON(conversion, &value); err != nil {
			t.Fatal(err)
		}
		o.Object["spec"] = map[string]any{"conversion": value}
	}
	return &Target{Name: o.GetName(), resource: crdResource, object: o}
}

const (
	toWebhook = `{"strategy":"Webhook","webhook":{"clientConfig":{"service":{"namespace":"n","name":"crosswalk"}},"conversionReviewVersions":["v1"]}}`
	none      = `{"strategy":"None"}`
)

// writes is an API server in memory that records the writes to definitions, as
// "type manager dry-run body", and answers each with the next of some objects or errors.
func writes(answers ...any) (*Cluster, *[]string) {
	var all []string
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{crdResource: "CustomResourceDefinitionList",
		policyResource: "ValidatingAdmissionPolicyList", bindingResource: "ValidatingAdmissionPolicyBindingList"})
	client.PrependReactor("patch", "*", func(a clienttest.Action) (bool, runtime.Object, error) {
		p := a.(clienttest.PatchActionImpl)
		kind := map[types.PatchType]string{types.ApplyPatchType: "apply", types.JSONPatchType: "json", types.MergePatchType: "merge"}[p.GetPatchType()]
		options := p.GetPatchOptions()
		if options.Force != nil && *options.Force {
			kind += " by force"
		}
		if len(options.DryRun) > 0 {
			kind += " dry"
		}
		all = append(all, kind+" "+options.FieldManager+" "+strings.TrimSpace(string(p.GetPatch())))
		answer := answers[min(len(all), len(answers))-1]
		if err, failed := answer.(error); failed {
			return true, nil, err
		}
		return true, answer.(*Target).object, nil
	})
	return ForClient(client), &all
}

// TestRemoveTakesTheStanzaAway: the stanza goes with an apply of a document without it, and with a
// patch if others own a part of it, or a half of it would be left. A target that the controller
// knows gets the annotation in the same write. A dry run is one to the end. Each write names the UID, so
// it changes no definition of the same name that was created meanwhile.
func TestRemoveTakesTheStanzaAway(t *testing.T) {
	const (
		document  = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"tenants.b.example.org","uid":"1"}}`
		annotated = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"annotations":{"crosswalk.dev/attach":"false"},"name":"tenants.b.example.org","uid":"1"}}`
		replace   = `{"op":"test","path":"/metadata/uid","value":"1"},{"op":"replace","path":"/spec/conversion","value":{"strategy":"None"}}`
		annotate  = `{"op":"add","path":"/metadata/annotations/crosswalk.dev~1attach","value":"false"}`
	)
	controlled := map[string]string{Annotation: asked}
	invalid := apierrors.NewInvalid(schema.GroupKind{Kind: "CustomResourceDefinition"}, "tenants.b.example.org", nil)
	forbidden := apierrors.NewForbidden(crdResource.GroupResource(), "tenants.b.example.org", nil)
	of := func(text string) string { return strings.ReplaceAll(text, "crosswalk.dev/attach", Annotation) }
	pointer := strings.ReplaceAll(Annotation, "/", "~1")
	for _, tc := range []struct {
		name        string
		annotations map[string]string
		dry         bool
		answers     []any
		want        []string
		fails       bool
	}{
		{"ours alone", nil, false, []any{tenants(t, none, nil)}, []string{"apply by force " + Manager + " " + document}, false},
		{"no stanza is left", nil, false, []any{tenants(t, "", nil)}, []string{"apply by force " + Manager + " " + document}, false},
		{"others own it too", nil, false, []any{tenants(t, toWebhook, nil), tenants(t, none, nil)},
			[]string{"apply by force " + Manager + " " + document, "json " + Manager + " [" + replace + "]"}, false},
		{"a half would be left", nil, false, []any{invalid, tenants(t, none, nil)},
			[]string{"apply by force " + Manager + " " + document, "json " + Manager + " [" + replace + "]"}, false},
		{"without rights", nil, false, []any{forbidden}, []string{"apply by force " + Manager + " " + document}, true},
		{"without rights for the patch", nil, false, []any{invalid, forbidden},
			[]string{"apply by force " + Manager + " " + document, "json " + Manager + " [" + replace + "]"}, true},
		{"the controller's", controlled, false, []any{tenants(t, toWebhook, nil), tenants(t, none, nil)},
			[]string{"apply by force " + Manager + " " + of(annotated), "json " + Manager + " [" + replace + "," + strings.ReplaceAll(annotate, "crosswalk.dev~1attach", pointer) + "]"}, false},
		{"dry", nil, true, []any{tenants(t, toWebhook, nil), tenants(t, none, nil)},
			[]string{"apply by force dry " + Manager + " " + document, "json dry " + Manager + " [" + replace + "]"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, got := writes(tc.answers...)
			changed, err := c.remove(t.Context(), tenants(t, toWebhook, tc.annotations), tc.dry)
			if !slices.Equal(*got, tc.want) {
				t.Errorf("writes\n%s, want\n%s", strings.Join(*got, "\n"), strings.Join(tc.want, "\n"))
			}
			if (err != nil) != tc.fails || err == nil && changed.Conversion() != nil && changed.Conversion().Strategy == apiextensions.WebhookConverter {
				t.Errorf("error %v, changed %v", err, changed)
			}
		})
	}
}

// TestPutBackWritesThePreviousStanza: a rollback writes the whole previous stanza, or none if there
// was none.
func TestPutBackWritesThePreviousStanza(t *testing.T) {
	for _, tc := range []struct {
		name   string
		target *Target
		before *apiextensions.CustomResourceConversion
		want   string
	}{
		{"another webhook", tenants(t, toWebhook, nil), tenants(t, toWebhook, nil).Conversion(), `[{"op":"test","path":"/metadata/uid","value":"1"},{"op":"replace","path":"/spec/conversion","value":` +
			`{"strategy":"Webhook","webhook":{"clientConfig":{"service":{"name":"crosswalk","namespace":"n"}},"conversionReviewVersions":["v1"]}}}]`},
		{"none", tenants(t, toWebhook, nil), nil, `[{"op":"test","path":"/metadata/uid","value":"1"},{"op":"replace","path":"/spec/conversion","value":{"strategy":"None"}}]`},
		{"none in a composite", &Target{Name: "x", resource: schema.GroupVersionResource{Group: xrdGroup, Version: "v1", Resource: xrdPlural}, object: bucketXRD(nil)}, nil,
			`[{"op":"test","path":"/metadata/uid","value":"xrd"},{"op":"remove","path":"/spec/conversion"}]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, got := writes(tc.target)
			if err := putBack(t.Context(), c, tc.target, tc.before); err != nil {
				t.Fatal(err)
			}
			if sameJSON(t, strings.TrimPrefix((*got)[0], "json "+Manager+" "), tc.want); len(*got) != 1 {
				t.Errorf("%d writes", len(*got))
			}
		})
	}
}

// TestAnnotations: an annotation is a write of its own manager. The one that a target lost is given
// back only to the target that was read.
func TestAnnotations(t *testing.T) {
	target := tenants(t, none, nil)
	c, got := writes(target)
	if err := c.Annotate(t.Context(), target, "a/b", "c"); err != nil {
		t.Fatal(err)
	}
	if err := c.AnnotateAgain(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"merge " + Manager + `-status {"metadata":{"annotations":{"a/b":"c"},"uid":"1"}}`,
		"merge " + Manager + `-status {"metadata":{"annotations":{"` + Annotation + `":"` + asked + `"},"resourceVersion":"7","uid":"1"}}`,
	}
	if !slices.Equal(*got, want) {
		t.Errorf("writes\n%s, want\n%s", strings.Join(*got, "\n"), strings.Join(want, "\n"))
	}
	for _, tc := range []struct {
		err  error
		want string
	}{
		{apierrors.NewConflict(crdResource.GroupResource(), "tenants.b.example.org", nil), "customresourcedefinition/tenants.b.example.org lost spec.conversion and has changed since: looking again: "},
		{apierrors.NewNotFound(crdResource.GroupResource(), "tenants.b.example.org"), "customresourcedefinition/tenants.b.example.org lost spec.conversion and has changed since: looking again: "},
		{apierrors.NewForbidden(crdResource.GroupResource(), "tenants.b.example.org", nil), "annotating customresourcedefinition/tenants.b.example.org again: "},
	} {
		c, _ := writes(tc.err)
		if err := c.AnnotateAgain(t.Context(), target); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%v: got %v, want %s", tc.err, err, tc.want)
		}
	}
}

// TestRestoreWritesTheStanza: a lost stanza is applied by force, and its error names the target.
func TestRestoreWritesTheStanza(t *testing.T) {
	target := tenants(t, none, nil)
	c, got := writes(target, apierrors.NewForbidden(crdResource.GroupResource(), target.Name, nil))
	g := Gateway{Namespace: "n", Name: "crosswalk", Port: 443, CA: []byte("CA")}
	if err := c.Restore(t.Context(), target, g); err != nil {
		t.Fatal(err)
	}
	prefix := "apply by force " + Manager + " "
	if text, ok := strings.CutPrefix((*got)[0], prefix); !ok {
		t.Errorf("wrote %s", (*got)[0])
	} else {
		sameJSON(t, text, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"tenants.b.example.org","uid":"1"},"spec":{"conversion":`+
			`{"strategy":"Webhook","webhook":{"clientConfig":{"caBundle":"Q0E=","service":{"namespace":"n","name":"crosswalk","path":"/convert","port":443}},"conversionReviewVersions":["v1"]}}}}`)
	}
	if err := c.Restore(t.Context(), target, g); err == nil || !strings.HasPrefix(err.Error(), "restoring spec.conversion of customresourcedefinition/tenants.b.example.org: ") {
		t.Errorf("without rights: %v", err)
	}
}

// TestDetachRefuses: a definition with several versions, or none to detach, is not written.
func TestDetachRefuses(t *testing.T) {
	target := tenants(t, toWebhook, nil)
	target.Definitions = []*apiextensions.CustomResourceDefinition{{
		ObjectMeta: metav1.ObjectMeta{Name: target.Name},
		Spec:       apiextensions.CustomResourceDefinitionSpec{Versions: []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}, {Name: "v2", Served: true}}},
	}}
	c, got := writes(target)
	out, err := c.Detach(t.Context(), target, false)
	if err == nil || !strings.HasPrefix(err.Error(), "tenants.b.example.org uses the versions v1, v2 (served v1, v2; stored ") || out.Action != ActionRefused || len(*got) != 0 {
		t.Errorf("two versions: %v, %v, writes %v", out.Action, err, *got)
	}
	for _, dry := range []bool{false, true} {
		annotated := tenants(t, none, map[string]string{Annotation: asked})
		c, got := writes(annotated)
		out, err := c.Detach(t.Context(), annotated, dry)
		if err != nil {
			t.Error(err)
		}
		if dry != (len(*got) == 0) || dry != (out.Action == ActionNone) || !dry && out.Action != ActionDetached {
			t.Errorf("without a stanza, dry %v: %v, writes %v", dry, out.Action, *got)
		}
	}
}

func unstructuredFromJSON(text string, into *map[string]any) error {
	var o unstructured.Unstructured
	err := o.UnmarshalJSON([]byte(`{"apiVersion":"v1","kind":"K","value":` + text + `}`))
	if err == nil {
		*into, _ = o.Object["value"].(map[string]any)
	}
	return err
}

// sameJSON compares two texts as values.
func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
