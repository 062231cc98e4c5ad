package compat

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type props = apiextensionsv1.JSONSchemaProps

func yes() *bool { b := true; return &b }

// keeps reports whether the API server keeps unknown fields of the value.
func keeps(s *props) bool { return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields }

// anything is the schema of a value of which nothing is known.
func anything() *props { return &props{XPreserveUnknownFields: yes(), Nullable: true} }

// The steps of a path that are not the names of fields.
const (
	eachElement = "[]"
	eachKey     = "*"
)

func itemsOf(s *props) *props {
	switch {
	case s.Items != nil && s.Items.Schema != nil:
		return s.Items.Schema
	case keeps(s):
		return anything()
	}
	return &props{}
}

// types returns the types of a value; none means any.
func types(s *props) []string {
	switch {
	case s.XIntOrString:
		return []string{"integer", "string"}
	case s.Type == "":
		return nil
	case s.Type == "number":
		return []string{"number", "integer"}
	}
	return []string{s.Type}
}

func accepts(s *props, kind string) bool {
	list := types(s)
	return len(list) == 0 || slices.Contains(list, kind)
}

// typeName returns the types of a value for messages.
func typeName(s *props) string {
	switch {
	case s.XIntOrString:
		return "an integer or a string"
	case s.Type == "":
		return "any type"
	}
	return s.Type
}

// valuesOf returns the schema of the values of a map; nil if the value is not a map.
func valuesOf(s *props) *props {
	switch {
	case s.AdditionalProperties == nil:
		return nil
	case s.AdditionalProperties.Schema != nil:
		return s.AdditionalProperties.Schema
	case s.AdditionalProperties.Allows:
		return &props{Nullable: true}
	}
	return nil
}

// metadata returns the parts of a schema of metadata that API servers use.
func metadata(s *props) *props {
	out := *s
	out.Properties = map[string]props{}
	for _, name := range []string{"name", "generateName"} {
		out.Properties[name] = props{Type: "string"}
		if given, has := s.Properties[name]; has {
			out.Properties[name] = given
		}
	}
	out.XPreserveUnknownFields, out.AdditionalProperties = nil, nil
	return &out
}

// free reports whether a schema accepts and keeps every value.
func free(s *props) bool {
	other := *s
	other.Description, other.Title, other.XPreserveUnknownFields = "", "", nil
	return keeps(s) && s.Nullable && encoded(&other) == encoded(&props{Nullable: true})
}

// schemaOf returns the schema of a version; one that keeps all fields if it has none.
func schemaOf(c *crd, v *version) *props {
	s := &props{Type: "object", XPreserveUnknownFields: yes()}
	if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
		s = v.Schema.OpenAPIV3Schema
	}
	if c.Spec.PreserveUnknownFields && !keeps(s) {
		copied := *s
		copied.XPreserveUnknownFields = yes()
		return &copied
	}
	return s
}

type (
	crd     = apiextensionsv1.CustomResourceDefinition
	version = apiextensionsv1.CustomResourceDefinitionVersion
)
