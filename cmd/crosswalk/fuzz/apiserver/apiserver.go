// Package apiserver decides about objects as a Kubernetes API server does, with the server's own
// code: which fields it prunes, which defaults it sets, and which objects it rejects.
package apiserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Definition is a CustomResourceDefinition, ready to decide about objects. It is not safe for
// concurrent use.
type Definition struct {
	Group, Kind string
	Namespaced  bool
	Versions    []*Version // in the definition's order
}

// Version is one version of a definition.
type Version struct {
	Name, APIVersion, Kind string
	Namespaced             bool
	Schema                 *schema.Structural

	validator *validators
	rules     *cel.Validator // nil without CEL rules
	scale     *apiextensionsv1.CustomResourceSubresourceScale
	defaults  bool // the schema has defaults
	embeds    bool // the schema has embedded resources
	lists     bool // the schema has sets or associative lists
}

// New compiles a definition.
//
// The error names the version whose schema an API server would not accept.
func New(crd *apiextensionsv1.CustomResourceDefinition) (*Definition, error) {
	if n := CountSchemas(crd); n > maxSchemas {
		return nil, fmt.Errorf("the schemas of %s.%s have more than %d values: no API server stores a definition as large", crd.Spec.Names.Kind, crd.Spec.Group, maxSchemas)
	}
	d := &Definition{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind, Namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		made, err := newVersion(d, v)
		if err != nil {
			return nil, fmt.Errorf("version %s of %s.%s: %w", v.Name, d.Kind, d.Group, err)
		}
		d.Versions = append(d.Versions, made)
	}
	return d, nil
}

// Version returns a version by name, or nil.
func (d *Definition) Version(name string) *Version {
	for _, v := range d.Versions {
		if v.Name == name {
			return v
		}
	}
	return nil
}

func newVersion(d *Definition, v *apiextensionsv1.CustomResourceDefinitionVersion) (*Version, error) {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return nil, errors.New("it has no schema: give it schema.openAPIV3Schema")
	}
	props := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema.DeepCopy(), props, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(props)
	if err != nil {
		return nil, err
	}
	if errs := schema.ValidateStructural(field.NewPath("schema", "openAPIV3Schema"), structural); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	_, openapi, err := validation.NewSchemaValidator(props)
	if err != nil {
		return nil, err
	}
	made := &Version{
		Name: v.Name, APIVersion: d.Group + "/" + v.Name, Kind: d.Kind, Namespaced: d.Namespaced, Schema: structural,
		validator: newValidators(openapi), rules: cel.NewValidator(structural, true, celconfig.PerCallLimit),
	}
	made.defaults = made.some(func(s *schema.Structural) bool { return s.Default.Object != nil })
	made.embeds = made.some(func(s *schema.Structural) bool { return s.XEmbeddedResource })
	made.lists = made.some(func(s *schema.Structural) bool { return s.XListType != nil && *s.XListType != "atomic" })
	if v.Subresources != nil {
		made.scale = v.Subresources.Scale
	}
	return made, nil
}

// Store changes an object as an API server does before it stores it: it sets defaults, drops nulls
// that the schema does not allow, and prunes unknown fields. The object must be of the version.
// It returns the paths of pruned fields.
func (v *Version) Store(object map[string]any) (cut []string) {
	v.Default(object)
	return v.Prune(object)
}

// Prune removes the fields that the schema does not have, as an API server does with the output of
// a conversion. It returns their paths.
func (v *Version) Prune(object map[string]any) (cut []string) {
	return pruning.PruneWithOptions(object, v.Schema, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
}

// Default sets the schema's defaults and drops nulls that the schema does not allow, as an API server
// does when it decodes an object of a request or of etcd. It sets none in the output of a conversion.
func (v *Version) Default(object map[string]any) {
	if v.defaults {
		defaulting.Default(object, v.Schema)
	}
	if hasNull(object) {
		defaulting.PruneNonNullableNullsWithoutDefaults(object, v.Schema)
	}
}

func hasNull(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		for _, child := range v {
			if hasNull(child) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasNull)
	}
	return false
}

// Decode decodes an object as an API server does: integers as int64, other numbers as float64.
func Decode(text []byte) (map[string]any, error) {
	var value map[string]any
	err := utiljson.Unmarshal(text, &value)
	return value, err
}

// HasDefaults reports whether the schema has defaults.
func (v *Version) HasDefaults() bool { return v.defaults }

// some reports whether a part of the schema is as asked.
func (v *Version) some(is func(*schema.Structural) bool) bool {
	some := false
	visitor := schema.Visitor{Structural: func(s *schema.Structural) bool {
		some = some || is(s)
		return false
	}}
	visitor.Visit(v.Schema.DeepCopy())
	return some
}

// Enums calls found with each value of an object that the schema gives a list of values.
func (v *Version) Enums(object map[string]any, found func(at string, is any, enum []any)) {
	enums(v.Schema, "", object, found)
}

func enums(s *schema.Structural, at string, value any, found func(string, any, []any)) {
	if s == nil {
		return
	}
	if s.ValueValidation != nil && len(s.ValueValidation.Enum) > 0 {
		var enum []any
		for _, one := range s.ValueValidation.Enum {
			enum = append(enum, one.Object)
		}
		found(at, value, enum)
	}
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if property, ok := s.Properties[key]; ok {
				enums(&property, strings.TrimPrefix(at+"."+key, "."), value[key], found)
			} else if s.AdditionalProperties != nil {
				enums(s.AdditionalProperties.Structural, at+"."+key, value[key], found)
			}
		}
	case []any:
		for _, element := range value {
			enums(s.Items, at+"[]", element, found)
		}
	}
}

// Has reports whether the schema has the value at a path of fields; * stands for every value of a
// map, [] for every element of a list.
func (v *Version) Has(path []string) bool {
	at := v.Schema
	for _, name := range path {
		switch property, ok := at.Properties[name]; {
		case at.XPreserveUnknownFields && !ok && name != "[]":
			return true
		case ok:
			at = &property
		case name == "[]" && at.Items != nil:
			at = at.Items
		case name != "[]" && at.AdditionalProperties != nil && at.AdditionalProperties.Structural != nil:
			at = at.AdditionalProperties.Structural
		default:
			return false
		}
	}
	return true
}

// Validate returns the reasons for which an API server rejects the creation of an object, in the
// order of their fields.
func (v *Version) Validate(ctx context.Context, object map[string]any) field.ErrorList {
	return append(v.ValidateMeta(object), v.ValidateSchema(ctx, object)...)
}

// ValidateMeta is the part of Validate about metadata, which the schema does not describe.
func (v *Version) ValidateMeta(object map[string]any) field.ErrorList {
	u := &unstructured.Unstructured{Object: object}
	return metavalidation.ValidateObjectMetaAccessor(u, v.Namespaced, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
}

// ValidateSchema is Validate without ValidateMeta.
func (v *Version) ValidateSchema(ctx context.Context, object map[string]any) field.ErrorList {
	errs := validation.ValidateCustomResource(nil, object, v.validator)
	errs = append(errs, v.validateScale(object)...)
	if v.embeds {
		errs = append(errs, objectmeta.Validate(ctx, nil, object, v.Schema, false)...)
	}
	if v.lists {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, v.Schema, object)...)
	}
	if v.rules != nil && !blocking(errs) {
		broken, _ := v.rules.Validate(ctx, nil, v.Schema, object, nil, celconfig.RuntimeCELCostBudget)
		errs = append(errs, broken...)
	}
	if len(errs) > 1 { // the validators range over maps
		slices.SortFunc(errs, func(a, b *field.Error) int {
			return cmp.Or(strings.Compare(a.Field, b.Field), strings.Compare(string(a.Type), string(b.Type)), strings.Compare(a.Detail, b.Detail))
		})
	}
	return errs
}

// blocking reports whether an API server does not evaluate CEL rules after these errors.
func blocking(errs field.ErrorList) bool {
	for _, e := range errs {
		switch e.Type {
		case field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid, field.ErrorTypeNotSupported:
			return true
		}
	}
	return false
}

// validateScale checks the fields of the scale subresource, which registry/customresource checks
// with an unexported method.
func (v *Version) validateScale(object map[string]any) (errs field.ErrorList) {
	if v.scale == nil {
		return nil
	}
	for _, path := range []string{v.scale.SpecReplicasPath, v.scale.StatusReplicasPath} {
		n, _, err := unstructured.NestedInt64(object, strings.Split(strings.TrimPrefix(path, "."), ".")...)
		switch {
		case err != nil:
			errs = append(errs, field.Invalid(field.NewPath(strings.TrimPrefix(path, ".")), n, err.Error()))
		case n < 0 || n > math.MaxInt32:
			errs = append(errs, field.Invalid(field.NewPath(strings.TrimPrefix(path, ".")), n, "should be a non-negative integer of 32 bits"))
		}
	}
	return errs
}

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
