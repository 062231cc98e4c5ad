package values

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
)

// SchemaAt returns the schema at a path of a version; nil if it describes none.
func SchemaAt(crd *apiextensionsv1.CustomResourceDefinition, version, path string) *apiextensionsv1.JSONSchemaProps {
	p, err := fieldpath.Parse(path)
	if err != nil {
		return nil
	}
	var s *apiextensionsv1.JSONSchemaProps
	for i := range crd.Spec.Versions {
		if one := &crd.Spec.Versions[i]; one.Name == version && one.Schema != nil {
			s = one.Schema.OpenAPIV3Schema
		}
	}
	for _, step := range p {
		switch {
		case s == nil:
			return nil
		case step == fieldpath.Elements:
			if s.Items == nil {
				return nil
			}
			s = s.Items.Schema
		case step == fieldpath.Members:
			if s.AdditionalProperties == nil {
				return nil
			}
			s = s.AdditionalProperties.Schema
		default:
			inner, ok := s.Properties[step]
			if !ok {
				return nil
			}
			s = &inner
		}
	}
	return s
}
