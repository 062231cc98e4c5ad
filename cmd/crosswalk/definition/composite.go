package definition

import (
	"encoding/json"
	"fmt"
	"maps"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// composite is the part of a CompositeResourceDefinition that the CustomResourceDefinition is made
// of.
type composite struct {
	APIVersion string
	Metadata   metav1.ObjectMeta
	Spec       struct {
		Group    string
		Scope    string // of version v2: Namespaced, Cluster or LegacyCluster
		Names    apiextensionsv1.CustomResourceDefinitionNames
		Versions []struct {
			Name          string
			Served        bool
			Referenceable bool
			Schema        *struct {
				OpenAPIV3Schema json.RawMessage `json:"openAPIV3Schema"`
			}
		}
	}
}

// machinery are the fields that Crossplane adds to spec, in version v2 below spec.crossplane.
const machinery = `{
 "compositionRef": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
 "compositionSelector": {"type": "object", "required": ["matchLabels"], "properties": {"matchLabels": {"type": "object", "additionalProperties": {"type": "string"}}}},
 "compositionRevisionRef": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
 "compositionRevisionSelector": {"type": "object", "required": ["matchLabels"], "properties": {"matchLabels": {"type": "object", "additionalProperties": {"type": "string"}}}},
 "compositionUpdatePolicy": {"type": "string", "enum": ["Automatic", "Manual"]},
 "resourceRefs": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "object", "required": ["apiVersion", "kind"],
   "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "name": {"type": "string"}, "namespace": {"type": "string"}}}}
}`

// claimed are the fields that it adds where the resource may have a claim.
const claimed = `{
 "claimRef": {"type": "object", "required": ["apiVersion", "kind", "namespace", "name"],
   "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "namespace": {"type": "string"}, "name": {"type": "string"}}},
 "writeConnectionSecretToRef": {"type": "object", "required": ["name", "namespace"], "properties": {"name": {"type": "string"}, "namespace": {"type": "string"}}}
}`

// observed are the fields that it adds to status.
const observed = `{
 "conditions": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"], "items": {"type": "object",
   "required": ["lastTransitionTime", "reason", "status", "type"], "properties": {"lastTransitionTime": {"type": "string", "format": "date-time"},
   "message": {"type": "string"}, "observedGeneration": {"type": "integer", "format": "int64"}, "reason": {"type": "string"}, "status": {"type": "string"}, "type": {"type": "string"}}}}
}`

// fromComposite returns the CustomResourceDefinition that Crossplane makes of a
// CompositeResourceDefinition: the author's schemas and the fields that Crossplane adds to each.
func fromComposite(doc []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	var x composite
	if err := json.Unmarshal(doc, &x); err != nil {
		return nil, fmt.Errorf("the CompositeResourceDefinition cannot be read: %w", err)
	}
	legacy := x.APIVersion == "apiextensions.crossplane.io/v1" || x.Spec.Scope == "LegacyCluster"
	crd := &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: x.Metadata.Name},
		Spec:       apiextensionsv1.CustomResourceDefinitionSpec{Group: x.Spec.Group, Names: x.Spec.Names, Scope: apiextensionsv1.NamespaceScoped},
	}
	if legacy || x.Spec.Scope == "Cluster" {
		crd.Spec.Scope = apiextensionsv1.ClusterScoped
	}
	for _, v := range x.Spec.Versions {
		props := &apiextensionsv1.JSONSchemaProps{}
		if v.Schema != nil && len(v.Schema.OpenAPIV3Schema) > 0 {
			if err := json.Unmarshal(v.Schema.OpenAPIV3Schema, props); err != nil {
				return nil, fmt.Errorf("the schema of version %s cannot be read: %w", v.Name, err)
			}
		}
		if err := complete(props, legacy); err != nil {
			return nil, fmt.Errorf("the schema of version %s: %w", v.Name, err)
		}
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: v.Name, Served: v.Served, Storage: v.Referenceable,
			Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props},
			Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
		})
	}
	return crd, nil
}

// complete adds Crossplane's fields to a schema.
func complete(props *apiextensionsv1.JSONSchemaProps, legacy bool) error {
	props.Type = "object"
	for _, add := range []struct {
		to, fields string
		when       bool
	}{{"spec", machinery, true}, {"spec", claimed, legacy}, {"status", observed, true}} {
		if !add.when {
			continue
		}
		more := map[string]apiextensionsv1.JSONSchemaProps{}
		if err := json.Unmarshal([]byte(add.fields), &more); err != nil {
			return err
		}
		if add.to == "spec" && !legacy {
			more = map[string]apiextensionsv1.JSONSchemaProps{"crossplane": {Type: "object", Properties: more}}
		}
		if props.Properties == nil {
			props.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		}
		member := props.Properties[add.to]
		member.Type = "object"
		if member.Properties == nil {
			member.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		}
		maps.Copy(member.Properties, more)
		props.Properties[add.to] = member
	}
	return nil
}
