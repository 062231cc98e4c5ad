package definition

import (
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestRejectedIsBounded tests that a definition larger than any request is rejected before it is
// validated, and that the reasons are few and short.
func TestRejectedIsBounded(t *testing.T) {
	of := func(n int, kind string) *apiextensionsv1.CustomResourceDefinition {
		properties := map[string]apiextensionsv1.JSONSchemaProps{}
		for i := range n {
			properties[strconv.Itoa(i)] = apiextensionsv1.JSONSchemaProps{Type: kind}
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		crd.Name, crd.Spec.Group, crd.Spec.Scope = "things.example.com", "example.com", apiextensionsv1.ClusterScoped
		crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Kind: "Thing", Plural: "things"}
		crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
			OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}}}}
		return crd
	}
	if why := Rejected(of(1_000, "string")); len(why) > 0 {
		t.Errorf("1,000 fields: %q", why)
	}
	if why := Rejected(of(200_000, "string")); len(why) != 1 || !strings.HasSuffix(why[0], " bytes of JSON, of at most 3145728 in a request") {
		t.Errorf("%q", why)
	}
	why := Rejected(of(50, strings.Repeat("x", 2000)))
	if len(why) != maxReasons+1 || !strings.HasSuffix(why[maxReasons], " more reasons") {
		t.Errorf("%d reasons: %q", len(why), why)
	}
	for _, one := range why {
		if len(one) > maxReason {
			t.Errorf("%d bytes: %s", len(one), one)
		}
	}
}
