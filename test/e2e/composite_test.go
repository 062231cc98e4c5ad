package e2e

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// compositeCRD is Crossplane's definition of CompositeResourceDefinitions, as far as attach meets it:
// v1 allows a webhook as the only strategy.
func compositeCRD() *apiextensions.CustomResourceDefinition {
	crd := openCRD("apiextensions.crossplane.io", "CompositeResourceDefinition", "v1", "v2")
	crd.Spec.Scope = apiextensions.ClusterScoped
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	spec.Properties = map[string]apiextensions.JSONSchemaProps{"conversion": {
		Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{"strategy": {Type: "string"}, "webhook": *spec.DeepCopy()},
		XValidations: apiextensions.ValidationRules{{Rule: "self.strategy == 'Webhook' && has(self.webhook)"}},
	}}
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = spec
	return crd
}

// copyConversion copies spec.conversion into the definition that Crossplane makes, as Crossplane does,
// until ctx ends.
func copyConversion(ctx context.Context, resource schema.GroupVersionResource, name string) {
	for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		from, err := shared.uncached.Dynamic.Resource(resource).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			continue
		}
		want := &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter}
		if content, there, _ := unstructured.NestedMap(from.Object, "spec", "conversion"); there {
			if runtime.DefaultUnstructuredConverter.FromUnstructured(content, want) != nil {
				continue
			}
		}
		_ = shared.uncached.Update(ctx, name, func(crd *apiextensions.CustomResourceDefinition) {
			if !equality.Semantic.DeepEqual(crd.Spec.Conversion, want) {
				crd.Spec.Conversion = want
			}
		})
	}
}

// TestAttachComposite: attach writes to the CompositeResourceDefinition, of v1 or v2, and waits until
// Crossplane has copied the stanza. detach takes it away, also from another manager.
func TestAttachComposite(t *testing.T) {
	crd, p, cluster := detached(t, "v1", "v2")
	installPlain(t, shared.uncached, compositeCRD())
	g := attach.Gateway{URL: p.URL(), CA: p.CA}
	for _, version := range []string{"v1", "v2"} {
		t.Run(version, func(t *testing.T) {
			resource := schema.GroupVersionResource{Group: "apiextensions.crossplane.io", Version: version, Resource: "compositeresourcedefinitions"}
			client := shared.uncached.Dynamic.Resource(resource)
			composite := object(t, `
				apiVersion: apiextensions.crossplane.io/`+version+`
				kind: CompositeResourceDefinition
				metadata: {name: `+crd.Name+`}
				spec: {group: `+puppetGroup+`, scope: Namespaced, names: {kind: Puppet, plural: puppets},
				  versions: [{name: v1, served: true, referenceable: true, schema: {openAPIV3Schema: {type: object}}}]}`)
			composite, err := client.Create(deadline(t), composite, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := client.Delete(deadline(t), crd.Name, metav1.DeleteOptions{}); err != nil {
					t.Error(err)
				}
			}()
			yes := true
			change := func(change func(*apiextensions.CustomResourceDefinition)) {
				t.Helper()
				if err := shared.uncached.Update(deadline(t), crd.Name, change); err != nil {
					t.Fatal(err)
				}
			}
			change(func(crd *apiextensions.CustomResourceDefinition) {
				crd.OwnerReferences = []metav1.OwnerReference{{APIVersion: composite.GetAPIVersion(), Kind: composite.GetKind(), Name: crd.Name, UID: composite.GetUID(), Controller: &yes}}
				crd.Spec.Versions[1].Served = true
				crd.Annotations = map[string]string{"cert-manager.io/inject-ca-from": "a/b"}
			})
			copying, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); copyConversion(copying, resource, crd.Name) }()
			defer func() { stop(); <-ended }()

			target := find(t, cluster, crd.Name)
			if target.String() != "compositeresourcedefinition/"+crd.Name || target.Object().GetAPIVersion() != composite.GetAPIVersion() {
				t.Fatalf("the target is %s of %s", target, target.Object().GetAPIVersion())
			}
			if _, err := cluster.Attach(deadline(t), target, g, false); err == nil || !strings.Contains(err.Error(), "in turns; remove the annotation") {
				t.Errorf("attaching beside cert-manager's cainjector: %v", err)
			}
			change(func(crd *apiextensions.CustomResourceDefinition) { crd.Annotations = nil })
			outcome, err := cluster.Attach(deadline(t), find(t, cluster, "xrd."+version+"/"+crd.Name), g, false)
			if err != nil || outcome.Action != attach.ActionAttached {
				t.Fatalf("attaching: %q, %v\n%s", outcome.Action, err, show(outcome.Checks))
			}
			same(t, "the copied stanza", definition(t, crd.Name).Spec.Conversion, g.Stanza())
			before := metric(t, p, "crosswalk_reviews_total")
			get(t, shared.uncached.Resource(crd, "v2"), "one")
			if metric(t, p, "crosswalk_reviews_total") == before {
				t.Error("the gateway did not convert the object")
			}

			now, err := client.Get(deadline(t), crd.Name, metav1.GetOptions{}) // others take the stanza over
			if err != nil {
				t.Fatal(err)
			}
			if err := unstructured.SetNestedStringSlice(now.Object, []string{"v1", "v1beta1"}, "spec", "conversion", "webhook", "conversionReviewVersions"); err != nil {
				t.Fatal(err)
			}
			now.SetManagedFields([]metav1.ManagedFieldsEntry{})
			now.SetAnnotations(map[string]string{attach.Annotation: "true"})
			if _, err := client.Update(deadline(t), now, metav1.UpdateOptions{FieldManager: "gitops"}); err != nil {
				t.Fatal(err)
			}
			change(func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Versions[1].Served = false })
			if outcome, err = cluster.Detach(deadline(t), find(t, cluster, "xrd/"+crd.Name), false); err != nil || outcome.Action != attach.ActionDetached {
				t.Fatalf("detaching: %q, %v", outcome.Action, err)
			}
			if now, err = client.Get(deadline(t), crd.Name, metav1.GetOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, there, _ := unstructured.NestedMap(now.Object, "spec", "conversion"); there || now.GetAnnotations()[attach.Annotation] != "false" {
				t.Errorf("detach leaves\n%s", show(now))
			}
			eventually.Succeeds(t, "the definition to follow", func() error {
				if definition(t, crd.Name).Spec.Conversion.Strategy != apiextensions.NoneConverter {
					return errors.New("the stanza is there")
				}
				return nil
			})
		})
	}
}
