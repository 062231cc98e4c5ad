package apiserver

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestTransitionRules tests that rules about updates do not take part in the creation of an object,
// and that those with an optional old value do.
func TestTransitionRules(t *testing.T) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal([]byte(`{"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Thing"},"versions":[{"name":"v1","schema":{"openAPIV3Schema":
		{"type":"object","properties":{"spec":{"type":"object","properties":{
			"fixed":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf"}]},
			"grows":{"type":"integer","x-kubernetes-validations":[{"rule":"oldSelf.hasValue() ? self >= oldSelf.value() : self == 0","optionalOldSelf":true}]}}}}}}}]}}`), &crd); err != nil {
		t.Fatal(err)
	}
	d, err := New(&crd)
	if err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string]string{`{"fixed":"a"}`: "", `{"grows":0}`: "", `{"grows":1}`: "failed rule"} {
		object := map[string]any{}
		if err := json.Unmarshal([]byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"b"},"spec":`+spec+`}`), &object); err != nil {
			t.Fatal(err)
		}
		if spec, ok := object["spec"].(map[string]any); ok && spec["grows"] != nil {
			spec["grows"] = int64(spec["grows"].(float64))
		}
		errs := d.Versions[0].ValidateSchema(context.Background(), object)
		if (want == "") != (len(errs) == 0) || len(errs) > 0 && !strings.Contains(errs[0].Error(), want) {
			t.Errorf("%s: %v", spec, errs)
		}
	}
}

// TestRulesEndWithTheirContext tests that the evaluation of a costly rule ends with its context.
func TestRulesEndWithTheirContext(t *testing.T) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal([]byte(`{"spec":{"group":"example.com","names":{"kind":"Thing"},"versions":[{"name":"v1","schema":{"openAPIV3Schema":
		{"type":"object","properties":{"spec":{"type":"array","items":{"type":"integer"},
			"x-kubernetes-validations":[{"rule":"self.all(x, self.all(y, self.all(z, x + y + z > -1)))"}]}}}}}]}}`), &crd); err != nil {
		t.Fatal(err)
	}
	d, err := New(&crd)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]any, 3000)
	for i := range list {
		list[i] = int64(i)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	errs := d.Versions[0].ValidateSchema(ctx, map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "spec": list})
	if len(errs) == 0 || !strings.Contains(errs[0].Error(), "interrupted") {
		t.Errorf("%v", errs)
	}
}

// TestDefinitionsAreBounded tests that a definition with more schemas than any API server stores is
// refused before it is compiled.
func TestDefinitionsAreBounded(t *testing.T) {
	properties := map[string]apiextensionsv1.JSONSchemaProps{}
	for i := range maxSchemas {
		properties[strconv.Itoa(i)] = apiextensionsv1.JSONSchemaProps{Type: "string"}
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Spec.Group, crd.Spec.Names.Kind = "example.com", "Thing"
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Schema: &apiextensionsv1.CustomResourceValidation{
		OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}}}}
	const want = "the schemas of Thing.example.com have more than 100000 values: no API server stores a definition as large"
	if _, err := New(crd); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
