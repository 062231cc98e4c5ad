package test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// TestExampleCasesFitTheirSchemas asserts that the golden cases of the example converters are
// objects as clusters have them: an API server with the example's CustomResourceDefinition accepts
// both the input and the output, and knows every field of both.
func TestExampleCasesFitTheirSchemas(t *testing.T) {
	modules, err := filepath.Glob("../plugins/*/MODULE")
	must(t, err)
	cases := 0
	for _, file := range modules {
		name, err := os.ReadFile(file)
		must(t, err)
		dir, module := filepath.Dir(file), strings.TrimSpace(string(name))
		sidecar, err := os.ReadFile(filepath.Join(dir, module+".yaml"))
		if os.IsNotExist(err) {
			continue
		}
		must(t, err)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if filepath.Base(dir) == "widget-v1alpha1-v1beta1" {
				dir = "../plugins/widget-v1beta1-v1" // the two modules of the chain share the definition
			}
			crd := readCRD(t, filepath.Join(dir, "crd.yaml"))
			var content struct {
				Cases []struct {
					Name   string         `json:"name"`
					From   string         `json:"from"`
					To     string         `json:"to"`
					Object map[string]any `json:"object"`
					Want   map[string]any `json:"want"`
				} `json:"cases"`
			}
			decodeYAML(t, sidecar, &content)
			for _, c := range content.Cases {
				if c.Want == nil {
					continue // a refused object need not be valid
				}
				cases++
				metadata, _ := c.Object["metadata"].(map[string]any)
				whole := metadata["uid"] != nil
				fits(t, crd, c.Name, c.From, c.Object, whole)
				fits(t, crd, c.Name, c.To, c.Want, whole)
			}
		})
	}
	if cases == 0 {
		t.Error("no example has golden cases")
	}
}

func readCRD(t *testing.T, file string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	for _, o := range decode(t, text) {
		if crd, ok := o.(*apiextensionsv1.CustomResourceDefinition); ok {
			return crd
		}
	}
	t.Fatalf("%s has no CustomResourceDefinition", file)
	return nil
}

// decodeYAML reads whole numbers as int64, as API servers do.
func decodeYAML(t *testing.T, text []byte, into any) {
	t.Helper()
	converted, err := yaml.ToJSON(bytes.TrimSpace(text))
	must(t, err)
	must(t, json.Unmarshal(converted, into))
}

// fits checks an object's content against the schema of a version; a fragment may lack required
// fields.
func fits(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition, name, version string, object map[string]any, whole bool) {
	t.Helper()
	var schema apiextensions.JSONSchemaProps
	found := false
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			must(t, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &schema, nil))
			found = true
		}
	}
	if !found {
		t.Fatalf("%s: the resource has no version %s", name, version)
	}
	content := map[string]any{}
	for key, value := range object {
		if key != "metadata" {
			content[key] = value
		}
	}
	if whole {
		validator, _, err := validation.NewSchemaValidator(&schema)
		must(t, err)
		for _, wrong := range validation.ValidateCustomResource(nil, content, validator) {
			t.Errorf("%s: in %s, %v", name, version, wrong)
		}
	}
	s, err := structural.NewStructural(&schema)
	must(t, err)
	for _, path := range pruning.PruneWithOptions(content, s, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		t.Errorf("%s: %s has no field %s", name, version, path)
	}
}
