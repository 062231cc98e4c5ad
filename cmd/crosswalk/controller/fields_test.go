package main

import (
	"fmt"
	"testing"

	core "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// field is a field that a team can write, and how the controller uses it.
type field struct {
	name, writers, use string
	attacks            map[string]func(*apiextensions.CustomResourceDefinition, *unstructured.Unstructured)
}

// Who can write a field.
const (
	editors          = "editors of the CustomResourceDefinition"
	compositeEditors = "editors of the CompositeResourceDefinition"
)

// fields are all fields that the controller reads or writes, or that others of its kind use. Each attack
// writes a team's own definition and CompositeResourceDefinition.
func fields() []field {
	type crd = apiextensions.CustomResourceDefinition
	type xrd = unstructured.Unstructured
	yes := true
	reference := func(name string, uid types.UID) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: "apiextensions.crossplane.io/v1", Kind: "CompositeResourceDefinition", Name: name, UID: uid, Controller: &yes}
	}
	set := func(value any, path ...string) func(*crd, *xrd) {
		return func(_ *crd, x *xrd) { _ = unstructured.SetNestedField(x.Object, value, path...) }
	}
	return []field{
		{"metadata.annotations: the controller's own", editors, "asks for the stanza, which the definition gets after a test", map[string]func(*crd, *xrd){
			"asked":         func(*crd, *xrd) {},
			"another value": func(c *crd, _ *xrd) { c.Annotations[attach.Annotation] = "TRUE" },
		}},
		{"metadata.annotations: status", editors, "is written, and read to write no equal text again", map[string]func(*crd, *xrd){
			"attached":      func(c *crd, _ *xrd) { c.Annotations[attach.StatusAnnotation] = statusAttached },
			"a restriction": func(c *crd, _ *xrd) { c.Annotations[attach.StatusAnnotation] = statusAttached + ", but x" },
			"failing":       func(c *crd, _ *xrd) { c.Annotations[attach.StatusAnnotation] = statusFailing + ": \x1b[2J" },
		}},
		{"metadata.annotations: versions that were retired", editors, "not used; crosswalk retire accepts such a version as one that the definition had", map[string]func(*crd, *xrd){
			"present versions": func(c *crd, _ *xrd) { c.Annotations[attach.RetiredAnnotation] = "v1,v2,../v3,," },
		}},
		{"metadata.annotations: cert-manager's", editors, "refuses the definitions of a composite", map[string]func(*crd, *xrd){
			"inject": func(c *crd, _ *xrd) { c.Annotations["cert-manager.io/inject-ca-from"] = "crosswalk-system/crosswalk" },
		}},
		{"metadata.labels, finalizers, managedFields", editors, "not used, but for names of managers in messages", map[string]func(*crd, *xrd){
			"all": func(c *crd, _ *xrd) {
				c.Labels = map[string]string{"app.kubernetes.io/managed-by": attach.Manager}
				c.Finalizers = []string{"example.com/" + attach.Manager}
				c.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: attach.Manager, Operation: "Apply", APIVersion: "apiextensions.k8s.io/v1", FieldsType: "FieldsV1",
					FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:conversion":{}}}`)}}
			},
		}},
		{"metadata.ownerReferences", editors, "leads to a composite that has the UID and the names", map[string]func(*crd, *xrd){
			"another team's composite": func(c *crd, _ *xrd) {
				c.OwnerReferences = []metav1.OwnerReference{reference("xbuckets.a.example.org", "victim")}
			},
			"its own composite": func(c *crd, _ *xrd) {
				c.OwnerReferences = []metav1.OwnerReference{reference("own.b.example.org", "xrd")}
			},
			"two": func(c *crd, _ *xrd) {
				c.OwnerReferences = []metav1.OwnerReference{reference("own.b.example.org", "xrd"), reference("xbuckets.a.example.org", "victim")}
			},
			"of another API group": func(c *crd, _ *xrd) {
				r := reference("xbuckets.a.example.org", "victim")
				r.APIVersion = "example.org/v1"
				c.OwnerReferences = []metav1.OwnerReference{r}
			},
		}},
		{"spec.conversion", editors, "is replaced after a test, or if the record has name and UID", map[string]func(*crd, *xrd){
			"None": func(c *crd, _ *xrd) {
				c.Spec.Conversion = &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter}
			},
			"another address": func(c *crd, _ *xrd) {
				c.Spec.Conversion = attach.Gateway{Namespace: "crosswalk-system", Name: "crosswalk", Port: 443}.Stanza()
			},
			"without a webhook": func(c *crd, _ *xrd) {
				c.Spec.Conversion = &apiextensions.CustomResourceConversion{Strategy: apiextensions.WebhookConverter}
			},
		}},
		{"spec.group, spec.names", editors, "the kind that a gateway is tested with, and the name of the copy", map[string]func(*crd, *xrd){
			"of another team": func(c *crd, _ *xrd) {
				c.Spec.Group, c.Spec.Names = "c.example.org", apiextensions.CustomResourceDefinitionNames{Plural: "buckets", Singular: "bucket", Kind: "Bucket", ShortNames: []string{"buckets"}}
			},
			"none": func(c *crd, _ *xrd) { c.Spec.Group, c.Spec.Names = "", apiextensions.CustomResourceDefinitionNames{} },
		}},
		{"spec.versions, status.storedVersions", editors, "the pairs that a gateway is tested with", map[string]func(*crd, *xrd){
			"none": func(c *crd, _ *xrd) { c.Spec.Versions = nil },
			"odd": func(c *crd, _ *xrd) {
				c.Spec.Versions[1].Name, c.Status.StoredVersions = "../v1", []string{"v9", ""}
			},
			"many": func(c *crd, _ *xrd) {
				for i := range 200 {
					c.Spec.Versions = append(c.Spec.Versions, apiextensions.CustomResourceDefinitionVersion{Name: fmt.Sprint("w", i), Served: true})
				}
			},
		}},
		{"metadata.annotations of the composite", compositeEditors, "asks for the stanza of the definitions that Crossplane makes of it", map[string]func(*crd, *xrd){
			"asked": func(_ *crd, x *xrd) { x.SetAnnotations(map[string]string{attach.Annotation: "true"}) },
		}},
		{"spec.group, spec.names, spec.claimNames of the composite", compositeEditors, "the definitions, which must have it as their controller", map[string]func(*crd, *xrd){
			"another team's composite": func(c *crd, x *xrd) {
				x.SetAnnotations(map[string]string{attach.Annotation: "true"})
				set("a.example.org", "spec", "group")(c, x)
				set("xbuckets", "spec", "names", "plural")(c, x)
			},
			"another team's definition": func(c *crd, x *xrd) {
				x.SetAnnotations(map[string]string{attach.Annotation: "true"})
				set("c.example.org", "spec", "group")(c, x)
				set("buckets", "spec", "claimNames", "plural")(c, x)
			},
			"of other types": func(c *crd, x *xrd) {
				x.SetAnnotations(map[string]string{attach.Annotation: "true"})
				set(int64(1), "spec", "group")(c, x)
				set([]any{"a"}, "spec", "names")(c, x)
			},
		}},
		{"metadata.ownerReferences of the composite", compositeEditors, "not used", map[string]func(*crd, *xrd){
			"another composite": func(_ *crd, x *xrd) {
				x.SetAnnotations(map[string]string{attach.Annotation: "true"})
				x.SetOwnerReferences([]metav1.OwnerReference{reference("xbuckets.a.example.org", "victim")})
			},
		}},
	}
}

// TestFieldsOfTeams attacks with each field that a team can write in its own objects. The gateway
// refuses all connections, so no definition passes a test: the controller must write no stanza, and
// nothing at all in the objects of others, which were attached before and are not now.
func TestFieldsOfTeams(t *testing.T) {
	for _, f := range fields() {
		for name, attack := range f.attacks {
			t.Run(f.name+"/"+name, func(t *testing.T) {
				t.Logf("%s, %s: %s", f.name, f.writers, f.use)
				own, composite := tenants("1", map[string]string{attach.Annotation: "true"}), xrd("own.b.example.org", "b.example.org", "own")
				attack(own, composite)
				victim := xrd("xbuckets.a.example.org", "a.example.org", "xbuckets")
				victim.SetUID("victim")
				detached := tenants("3", map[string]string{attach.Annotation: "false"})
				detached.Name, detached.Spec.Group, detached.Spec.Names.Plural = "buckets.c.example.org", "c.example.org", "buckets"
				made := tenants("4", nil)
				yes := true
				made.Name, made.Spec.Group, made.Spec.Names.Plural = "xbuckets.a.example.org", "a.example.org", "xbuckets"
				made.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apiextensions.crossplane.io/v1", Kind: "CompositeResourceDefinition", Name: victim.GetName(), UID: victim.GetUID(), Controller: &yes}}
				victim.SetAnnotations(map[string]string{attach.Annotation: "false"})
				w := newWorld(t, []*apiextensions.CustomResourceDefinition{own, detached, made, crossplane()}, composite, victim)
				record := &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "crosswalk-system", Name: "crosswalk-controller"},
					Data: map[string]string{recordKey: `{"compositeresourcedefinition/xbuckets.a.example.org": "victim", "customresourcedefinition/buckets.c.example.org": "3"}`}}
				if err := w.client.Create(t.Context(), record); err != nil {
					t.Fatal(err)
				}
				versions := map[string]string{}
				for range 2 {
					for _, other := range []string{detached.Name, made.Name} {
						now := &apiextensions.CustomResourceDefinition{}
						if err := w.client.Get(t.Context(), client.ObjectKey{Name: other}, now); err != nil {
							t.Fatal(err)
						}
						if before := versions[other]; before != "" && before != now.ResourceVersion {
							t.Errorf("the controller wrote %s: %v", other, now.Annotations)
						}
						versions[other] = now.ResourceVersion
					}
					w.reconcile(t)
				}
				if len(w.writes) > 0 {
					t.Errorf("the controller wrote spec.conversion of %v", w.writes)
				}
				for _, a := range w.dynamic.Actions() {
					if p, is := a.(interface{ GetName() string }); is && a.GetVerb() != "get" && p.GetName() != own.Name && p.GetName() != composite.GetName() {
						t.Errorf("the controller sent %s for %s", a.GetVerb(), p.GetName())
					}
				}
			})
		}
	}
}
