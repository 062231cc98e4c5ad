package prove

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Digest returns the digest of what the versions of a definition say about objects: of their schemas
// without the texts for people, in the order of their names.
func Digest(crd *apiextensionsv1.CustomResourceDefinition) string {
	type version struct {
		Name   string
		Schema *apiextensionsv1.JSONSchemaProps
	}
	var all []version
	for _, v := range crd.Spec.Versions {
		one := version{Name: v.Name}
		if v.Schema != nil {
			one.Schema = v.Schema.OpenAPIV3Schema.DeepCopy()
			strip(one.Schema)
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b version) int { return cmp.Compare(a.Name, b.Name) })
	text, err := json.Marshal(all)
	if err != nil {
		panic(fmt.Sprintf("a definition that was read: %v", err))
	}
	return digest(text)
}

// strip removes the texts for people from a schema.
func strip(s *apiextensionsv1.JSONSchemaProps) {
	if s == nil {
		return
	}
	s.Title, s.Description, s.Example, s.ExternalDocs = "", "", nil, nil
	for i := range s.XValidations {
		s.XValidations[i].Message, s.XValidations[i].MessageExpression = "", ""
	}
	for name, property := range s.Properties {
		strip(&property)
		s.Properties[name] = property
	}
	if s.Items != nil {
		strip(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		strip(s.AdditionalProperties.Schema)
	}
	strip(s.Not)
	for _, list := range [][]apiextensionsv1.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			strip(&list[i])
		}
	}
}
