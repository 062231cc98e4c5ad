package attach

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// named is a definition with names.
func namedDefinition(plural, group, kind, singular string, short ...any) runtime.Object {
	o := definition(plural+"."+group, "")
	o.Object["spec"] = map[string]any{"group": group, "names": map[string]any{"kind": kind, "plural": plural, "singular": singular, "shortNames": short}}
	return o
}

// TestFindNames: a definition is found by its name, and by the names of its kind, alone or with the
// group, in any case; a name for two of them is an error that lists both.
func TestFindNames(t *testing.T) {
	c := server(namedDefinition("crontabs", "a.example.org", "CronTab", "crontab", "ct"), namedDefinition("crontabs", "b.example.org", "CronTab", "crontab"),
		namedDefinition("widgets", "a.example.org", "Widget", "widget"))
	const both = `"CronTab" is ambiguous: it can be crontabs.a.example.org or crontabs.b.example.org`
	for name, want := range map[string]string{
		"crontabs.a.example.org": "crontabs.a.example.org", "CronTabs.A.example.org": "crontabs.a.example.org", "CronTab.b.example.org": "crontabs.b.example.org",
		"crd/widget": "widgets.a.example.org", "WIDGETS": "widgets.a.example.org", "CT": "crontabs.a.example.org",
		"CronTab": both, "CronTab.c.example.org": "its name is PLURAL.GROUP, and kubectl get crds lists all", "Widget.b.example.org": "PLURAL.GROUP",
		"pod/x": `"pod/x" must be the name of a CustomResourceDefinition, or xrd/NAME`,
	} {
		target, err := c.Find(t.Context(), name)
		switch {
		case err != nil && !strings.Contains(err.Error(), want):
			t.Errorf("%s: %v, want %s", name, err, want)
		case err == nil && target.Name != want:
			t.Errorf("%s: found %s, want %s", name, target.Name, want)
		}
	}
}

// TestServes: a stanza leads to the gateway by its Service, or by its URL, and no other way.
func TestServes(t *testing.T) {
	service, atURL := Gateway{Namespace: "n", Name: "crosswalk", Port: 443}, Gateway{URL: "https://gateway.example.org/convert"}
	without := service.Stanza()
	without.Webhook.ClientConfig = nil
	noWebhook := service.Stanza()
	noWebhook.Webhook = nil
	turnedOff := service.Stanza()
	turnedOff.Strategy = apiextensions.NoneConverter
	for _, tc := range []struct {
		name     string
		gateway  Gateway
		of       *apiextensions.CustomResourceConversion
		want     bool
		whereAny string
	}{
		{"its Service", service, service.Stanza(), true, "Service n/crosswalk (no caBundle)"},
		{"its Service, with a CA", service, Gateway{Namespace: "n", Name: "crosswalk", CA: []byte("x")}.Stanza(), true, "Service n/crosswalk"},
		{"its URL", atURL, atURL.Stanza(), true, "https://gateway.example.org/convert (no caBundle)"},
		{"another namespace", service, Gateway{Namespace: "m", Name: "crosswalk"}.Stanza(), false, "Service m/crosswalk (no caBundle)"},
		{"another Service", service, Gateway{Namespace: "n", Name: "other"}.Stanza(), false, "Service n/other (no caBundle)"},
		{"another URL", atURL, Gateway{URL: "https://other.example.org"}.Stanza(), false, "https://other.example.org (no caBundle)"},
		{"a URL for a Service", service, atURL.Stanza(), false, "https://gateway.example.org/convert (no caBundle)"},
		{"a Service for a URL", atURL, service.Stanza(), false, "Service n/crosswalk (no caBundle)"},
		{"none", service, nil, false, "None"},
		{"turned off", service, turnedOff, false, "None"},
		{"no webhook", service, noWebhook, false, "a webhook without a clientConfig"},
		{"no clientConfig", service, without, false, "a webhook without a clientConfig"},
	} {
		if got := tc.gateway.Serves(tc.of); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
		if got := where(tc.of); got != tc.whereAny {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.whereAny)
		}
	}
}

// TestLost: a target is lost without the annotation, with any value, and without a webhook.
func TestLost(t *testing.T) {
	detachedBefore, status := map[string]string{Annotation: detached}, map[string]string{StatusAnnotation: "Attached"}
	for _, tc := range []struct {
		conversion       string
		annotations      map[string]string
		lost, controlled bool
	}{
		{"", nil, true, false}, {none, nil, true, false}, {toWebhook, nil, false, false},
		{"", detachedBefore, false, true}, {none, detachedBefore, false, true}, {none, map[string]string{Annotation: asked}, false, true},
		{none, status, true, true}, {none, map[string]string{"other": "x"}, true, false},
	} {
		target := tenants(t, tc.conversion, tc.annotations)
		if target.Lost() != tc.lost || target.controlled() != tc.controlled {
			t.Errorf("%q %v: lost %v, controlled %v", tc.conversion, tc.annotations, target.Lost(), target.controlled())
		}
	}
}

// TestWritersOfManagedFields: of each manager, operation and version the objects are counted once,
// and the newest write is named.
func TestWritersOfManagedFields(t *testing.T) {
	early, late := metav1.NewTime(time.Unix(100, 0)), metav1.NewTime(time.Unix(200, 0))
	entry := func(at *metav1.Time, subresource string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: "kubectl", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "b.example.org/v1", Time: at, Subresource: subresource}
	}
	object := func(name string, entries ...metav1.ManagedFieldsEntry) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name, ManagedFields: entries}}
	}
	for _, tc := range []struct {
		name    string
		objects []*metav1.PartialObjectMetadata
		want    Writer
	}{
		{"the newer comes later", []*metav1.PartialObjectMetadata{object("a", entry(&early, "")), object("b", entry(&late, ""))}, Writer{Objects: 2, Object: "n/b", Last: late.Time}},
		{"the newer comes first", []*metav1.PartialObjectMetadata{object("a", entry(&late, "")), object("b", entry(&early, ""))}, Writer{Objects: 2, Object: "n/a", Last: late.Time}},
		{"a subresource", []*metav1.PartialObjectMetadata{object("a", entry(&early, ""), entry(&late, "status"))}, Writer{Objects: 1, Object: "n/a", Last: late.Time}},
		{"without a time", []*metav1.PartialObjectMetadata{object("a", entry(nil, "")), object("b", entry(nil, ""))}, Writer{Objects: 2, Object: "n/a"}},
	} {
		found := map[string]*Writer{}
		for _, o := range tc.objects {
			if addWriters(found, o) {
				t.Errorf("%s: an object with one version is counted as one with several", tc.name)
			}
		}
		tc.want.Version, tc.want.Manager, tc.want.Operation = "v1", "kubectl", "Apply"
		for _, w := range found {
			if *w != tc.want {
				t.Errorf("%s: %+v, want %+v", tc.name, *w, tc.want)
			}
		}
		if len(found) != 1 {
			t.Errorf("%s: %d writers", tc.name, len(found))
		}
	}
}

// TestNoteNamesLists: of objects with managers at several versions, the note names the fields whose elements
// can stay, and there is none where no rule can have the limit applied.
func TestNoteNamesLists(t *testing.T) {
	text := func(lists string) *apiextensions.JSONSchemaProps {
		s := &apiextensions.JSONSchemaProps{}
		if err := json.Unmarshal([]byte(`{"type":"object","properties":{"spec":{"type":"object","properties":{"s":{"type":"string"},`+lists+`}}}}`), s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	const items = `"items":{"type":"object","properties":{"k":{"type":"string"},"in":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object"}}}}}`
	const keyed, set, atomic = `"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],` + items, `"l":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}`, `"l":{"type":"array",` + items
	for _, tc := range []struct {
		v1, v2, want string
		mixed        int
	}{
		{keyed, keyed, "", 2},
		{set, `"m":{"type":"string"}`, "", 2},
		{atomic, `"m":{"type":"string"}`, "", 2},
		{`"o":{"type":"object","x-kubernetes-map-type":"atomic","properties":{` + keyed + `}}`, `"m":{"type":"string"}`, "", 2},
		{keyed, `"m":{"type":"string"}`, "spec.l", 2},
		{atomic, keyed, "spec.l", 2},
		{keyed, strings.Replace(keyed, `"k":{"type":"string"},`, "", 1), "spec.l[].k", 2},
		{atomic, keyed, "", 0},
	} {
		crd := pools(t)
		crd.Spec.Versions[0].Schema.OpenAPIV3Schema, crd.Spec.Versions[1].Schema.OpenAPIV3Schema = text(tc.v1), text(tc.v2)
		if tc.want != "" {
			tc.want = "2 objects with managers at several versions: a value of " + tc.want + " can stay when it leaves Git, for another version lacks the member, or the keys of the list (crosswalk docs apply); let all write at one version"
		}
		if got := (Survey{Mixed: tc.mixed, Lists: lists(crd)}).Note(); got != tc.want {
			t.Errorf("%s and %s: %q, want %q", tc.v1, tc.v2, got, tc.want)
		}
	}
}

// TestDeletedDefinitionIsNoOther: while a definition is deleted, nobody takes one of the same group for
// it that has its plural as a short name.
func TestDeletedDefinitionIsNoOther(t *testing.T) {
	c := server(namedDefinition("crontabs", "a.example.org", "CronTab", "crontab", "cts"))
	deleted := &Target{Name: "cts.a.example.org", resource: crdResource}
	if found, err := c.Find(t.Context(), deleted.Name); err != nil || found.Name != "crontabs.a.example.org" {
		t.Fatalf("the name does not lead to the other definition: %v, %v", found, err)
	}
	for name, found := range map[string]func() (*Target, error){
		"FindDefinition": func() (*Target, error) { return c.FindDefinition(t.Context(), deleted.Name) },
		"refresh":        func() (*Target, error) { return c.refresh(t.Context(), deleted) },
	} {
		if other, err := found(); !apierrors.IsNotFound(err) {
			t.Errorf("%s: %v, %v", name, other, err)
		}
	}
}
