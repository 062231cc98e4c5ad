package apiserver

import apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// maxSchemas bounds the schemas in a definition. Compiled, each takes some KiB. etcd stores 1.5 MiB,
// and a schema has 20 bytes at least.
const maxSchemas = 100_000

// CountSchemas counts the schemas of all values in a definition, up to the bound of [New].
func CountSchemas(crd *apiextensionsv1.CustomResourceDefinition) (n int) {
	for i := range crd.Spec.Versions {
		if s := crd.Spec.Versions[i].Schema; s != nil && s.OpenAPIV3Schema != nil {
			count(s.OpenAPIV3Schema, &n)
		}
	}
	return n
}

func count(s *apiextensionsv1.JSONSchemaProps, n *int) {
	if *n++; *n > maxSchemas {
		return
	}
	for name := range s.Properties {
		property := s.Properties[name]
		count(&property, n)
	}
	for _, list := range [][]apiextensionsv1.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			count(&list[i], n)
		}
	}
	if s.Not != nil {
		count(s.Not, n)
	}
	if s.Items != nil && s.Items.Schema != nil {
		count(s.Items.Schema, n)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		count(s.AdditionalProperties.Schema, n)
	}
}
