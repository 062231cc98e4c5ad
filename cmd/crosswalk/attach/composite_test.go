package attach

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
)

// server returns an API server with Crossplane's definition and other objects.
func server(objects ...runtime.Object) *Cluster {
	own := definition("compositeresourcedefinitions.apiextensions.crossplane.io", "")
	_ = unstructured.SetNestedSlice(own.Object, []any{map[string]any{"name": "v1", "storage": true, "served": true}}, "spec", "versions")
	return ForClient(fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		crdResource: "CustomResourceDefinitionList",
		{Group: xrdGroup, Version: "v1", Resource: xrdPlural}: "CompositeResourceDefinitionList",
	}, append(objects, own)...))
}

func definition(name string, uid types.UID, owners ...metav1.OwnerReference) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}}
	o.SetName(name)
	o.SetUID(uid)
	o.SetOwnerReferences(owners)
	return o
}

// bucketXRD makes xbuckets.a.example.org and buckets.a.example.org.
func bucketXRD(annotations map[string]string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": xrdGroup + "/v1", "kind": xrdKind, "spec": map[string]any{
		"group": "a.example.org", "names": map[string]any{"plural": "xbuckets"}, "claimNames": map[string]any{"plural": "buckets"},
	}}}
	o.SetName("xbuckets.a.example.org")
	o.SetUID("xrd")
	o.SetAnnotations(annotations)
	return o
}

// madeBy is the reference that Crossplane writes.
func madeBy(name string, uid types.UID, controller bool) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: xrdGroup + "/v1", Kind: xrdKind, Name: name, UID: uid, Controller: &controller}
}

// TestFindBelievesTheComposite: an ownerReference in a definition, which all who may edit the
// definition can write, leads to a CompositeResourceDefinition only if that one confirms it.
func TestFindBelievesTheComposite(t *testing.T) {
	right := madeBy("xbuckets.a.example.org", "xrd", true)
	made := []runtime.Object{bucketXRD(nil), definition("xbuckets.a.example.org", "1", right), definition("buckets.a.example.org", "2", right)}
	for _, tc := range []struct {
		name       string
		definition *unstructured.Unstructured
		composite  bool
	}{
		{"made by Crossplane", definition("xbuckets.a.example.org", "1", right), true},
		{"for claims", definition("buckets.a.example.org", "2", right), true},
		{"of another name", definition("tenants.b.example.org", "3", right), false},
		{"of another UID", definition("xbuckets.a.example.org", "1", madeBy("xbuckets.a.example.org", "guessed", true)), false},
		{"not the controller", definition("xbuckets.a.example.org", "1", madeBy("xbuckets.a.example.org", "xrd", false)), false},
		{"missing", definition("tenants.b.example.org", "3", madeBy("missing.a.example.org", "x", true)), false},
		{"without an owner", definition("tenants.b.example.org", "3"), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			objects := []runtime.Object{tc.definition}
			for _, o := range made {
				if o.(*unstructured.Unstructured).GetName() != tc.definition.GetName() || o.(*unstructured.Unstructured).GetKind() == xrdKind {
					objects = append(objects, o)
				}
			}
			got, err := server(objects...).Find(t.Context(), tc.definition.GetName())
			if err != nil {
				t.Fatal(err)
			}
			if got.Composite() != tc.composite {
				t.Errorf("the target is %s", got)
			}
		})
	}
}

// TestCompositesOfForeignDefinitions: a CompositeResourceDefinition with the names of a definition
// that it does not make is not a target.
func TestCompositesOfForeignDefinitions(t *testing.T) {
	annotated := map[string]string{Annotation: "true"}
	right := madeBy("xbuckets.a.example.org", "xrd", true)
	c := server(bucketXRD(annotated), definition("xbuckets.a.example.org", "1", right), definition("buckets.a.example.org", "2"))
	targets, err := c.Composites(t.Context(), (*Target).Annotated)
	if err == nil || !strings.Contains(err.Error(), "buckets.a.example.org, which Crossplane did not make of it") || len(targets) != 0 {
		t.Errorf("targets %v, error %v", targets, err)
	}
	c = server(bucketXRD(annotated), definition("xbuckets.a.example.org", "1", right), definition("buckets.a.example.org", "2", right))
	if targets, err = c.Composites(t.Context(), (*Target).Annotated); err != nil || len(targets) != 1 || len(targets[0].Definitions) != 2 {
		t.Errorf("targets %v, error %v", targets, err)
	}
	c = server(bucketXRD(nil), definition("xbuckets.a.example.org", "1", right), definition("buckets.a.example.org", "2", right))
	if targets, err = c.Composites(t.Context(), (*Target).Annotated); err != nil || len(targets) != 0 {
		t.Errorf("without the annotation: targets %v, error %v", targets, err)
	}
}
