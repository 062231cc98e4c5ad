package attach

import (
	"slices"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
)

// TestRetireDeletesPolicies: a retired version leaves no policy of attach --convertible behind, and
// the last one with spec.conversion leaves none at all.
func TestRetireDeletesPolicies(t *testing.T) {
	for strategy, want := range map[apiextensions.ConversionStrategyType][]string{
		apiextensions.WebhookConverter: {"crosswalk-v1.others.b.example.org", "crosswalk-v2.tenants.b.example.org", "crosswalk-v3.tenants.b.example.org"},
		apiextensions.NoneConverter:    {"crosswalk-v1.others.b.example.org"},
	} {
		crd := &apiextensions.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "tenants.b.example.org"}}
		for _, v := range []string{"v2", "v3"} {
			crd.Spec.Versions = append(crd.Spec.Versions, apiextensions.CustomResourceDefinitionVersion{Name: v, Served: true})
		}
		target := &Target{Name: crd.Name, Definitions: []*apiextensions.CustomResourceDefinition{crd}, resource: crdResource,
			object: &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"conversion": map[string]any{"strategy": string(strategy)}}}}}
		client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
			policyResource: "ValidatingAdmissionPolicyList", bindingResource: "ValidatingAdmissionPolicyBindingList",
		})
		for _, of := range []struct {
			name     string
			versions []string
		}{{crd.Name, []string{"v1", "v2", "v3"}}, {"others.b.example.org", []string{"v1"}}} {
			for _, v := range of.versions {
				policy, binding := policies(&apiextensions.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: of.name}}, v)
				for resource, o := range map[schema.GroupVersionResource]any{policyResource: policy, bindingResource: binding} {
					content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := client.Resource(resource).Create(t.Context(), &unstructured.Unstructured{Object: content}, metav1.CreateOptions{}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		p := &planner{cluster: ForClient(client), target: target, crd: crd}
		if err := p.tidy(t.Context(), func(Progress) {}); err != nil {
			t.Fatal(err)
		}
		for _, resource := range []schema.GroupVersionResource{policyResource, bindingResource} {
			left, err := client.Resource(resource).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, o := range left.Items {
				names = append(names, o.GetName())
			}
			if slices.Sort(names); !slices.Equal(names, want) {
				t.Errorf("with strategy %s, the %s are %q, want %q", strategy, resource.Resource, names, want)
			}
		}
	}
}
