package compat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// walker compares two schemas value by value. It is conservative: unless the new schema provably
// accepts and keeps each value of the old schema, there is a change of class BreaksObjects.
type walker struct {
	ctx    context.Context
	found  []Change
	around surroundings
}

// add adds a change at the current value, or at a member of it.
func (w *walker) add(class Class, rule, text, fix string, member ...string) {
	steps := w.around.steps(member...)
	w.found = append(w.found, Change{Path: strings.ReplaceAll(strings.Join(steps, "."), "."+eachElement, eachElement), Steps: steps, Rule: rule, Class: class, Text: text, Fix: fix})
}

// down compares a part of the current value.
func (w *walker) down(parent *props, step string, old, new *props) {
	w.around.enter(parent, step)
	w.value(old, new)
	w.around.leave()
}

// value compares the current value.
func (w *walker) value(old, new *props) {
	if w.ctx.Err() != nil {
		return
	}
	if !w.types(old, new) {
		return
	}
	w.null(old, new)
	w.standard(old, new)
	w.enum(old, new)
	w.bounds(old, new)
	w.logic(old, new)
	w.rules(old, new)
	w.embedded(old, new)
	if accepts(old, "object") && accepts(new, "object") {
		w.members(old, new)
		w.required(old, new)
		w.mapType(old, new)
	}
	if accepts(old, "array") && accepts(new, "array") {
		w.listType(old, new)
		if old.Items != nil && old.Items.Schema != nil || new.Items != nil && new.Items.Schema != nil {
			w.down(new, eachElement, itemsOf(old), itemsOf(new))
		}
	}
}

const readFix = "keep the type, or change the rule so that it passes objects that exist"

// types compares the types of the value. It reports whether the rest can be compared.
func (w *walker) types(old, new *props) bool {
	was, is := types(old), types(new)
	if len(is) > 0 && (len(was) == 0 || slices.ContainsFunc(was, func(kind string) bool { return !slices.Contains(is, kind) })) {
		w.add(BreaksObjects, "type-narrowed", fmt.Sprintf("the type was %s, is %s", typeName(old), typeName(new)),
			"keep the type; give the new form a field of its own, or a new version with a conversion")
		return false
	}
	if len(was) != len(is) {
		class, more, fix := Behaviour, "clients with typed structures cannot decode the other type", ""
		if seen := w.around.observed(new, true); seen != "" {
			class, more, fix = BreaksObjects, seen+" reads it", readFix
		}
		w.add(class, "type-widened", fmt.Sprintf("the type was %s, is %s: %s", typeName(old), typeName(new), more), fix)
	}
	return true
}

func (w *walker) null(old, new *props) {
	switch {
	case old.Nullable && !new.Nullable:
		w.add(BreaksObjects, "null-removed", "null is no longer accepted: the API server drops it, replaces it with the default, or rejects the object", "keep nullable: true")
	case !old.Nullable && new.Nullable:
		w.add(Safe, "null-added", "null is accepted", "")
	}
}

// embedded compares x-kubernetes-embedded-resource.
func (w *walker) embedded(old, new *props) {
	switch {
	case !old.XEmbeddedResource && new.XEmbeddedResource:
		w.add(BreaksObjects, "embedded-changed", "the value must be a resource with apiVersion, kind and metadata", "omit x-kubernetes-embedded-resource")
	case old.XEmbeddedResource && !new.XEmbeddedResource:
		class := BreaksObjects
		if keeps(new) && w.around.observed(new, true) == "" {
			class = Behaviour
		}
		w.add(class, "embedded-changed", "the value is no longer a resource: apiVersion, kind and metadata may be dropped, and are not checked", "keep x-kubernetes-embedded-resource")
	}
}

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
