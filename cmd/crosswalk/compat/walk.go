package compat

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// walker compares two schemas value by value. It is conservative: unless the new schema provably
// accepts and keeps each value of the old schema, there is a change of class BreaksObjects.
type walker struct {
	ctx   context.Context
	found []Change
	above []frame // the values around the current one
	work  int     // done to find the rules that read a value
}

// frame is a value of the new schema, and the step from it to the next one.
type frame struct {
	schema *props
	step   string
}

// add adds a change at the current value, or at a member of it.
func (w *walker) add(class Class, rule, text, fix string, member ...string) {
	var steps []string
	for _, f := range w.above {
		steps = append(steps, f.step)
	}
	steps = append(steps, member...)
	w.found = append(w.found, Change{Path: strings.ReplaceAll(strings.Join(steps, "."), "."+eachElement, eachElement), Steps: steps, Rule: rule, Class: class, Text: text, Fix: fix})
}

// down compares a part of the current value.
func (w *walker) down(parent *props, step string, old, new *props) {
	w.above = append(w.above, frame{parent, step})
	w.value(old, new)
	w.above = w.above[:len(w.above)-1]
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
		if seen := w.observed(new, true); seen != "" {
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
		if keeps(new) && w.observed(new, true) == "" {
			class = Behaviour
		}
		w.add(class, "embedded-changed", "the value is no longer a resource: apiVersion, kind and metadata may be dropped, and are not checked", "keep x-kubernetes-embedded-resource")
	}
}

// implicit are the fields that every resource has, whether or not its schema names them.
func (w *walker) implicit(s *props) map[string]props {
	if len(w.above) > 0 && !s.XEmbeddedResource {
		return nil
	}
	return map[string]props{
		"apiVersion": {Type: "string"}, "kind": {Type: "string"},
		"metadata": {Type: "object", Properties: map[string]props{"name": {Type: "string"}, "generateName": {Type: "string"}}},
	}
}

// members compares the fields of an object, or the entries of a map.
func (w *walker) members(old, new *props) {
	implicit := w.implicit(new)
	oldMap, newMap := valuesOf(old), valuesOf(new)
	for _, name := range slices.Sorted(maps.Keys(old.Properties)) {
		was := old.Properties[name]
		is, has := new.Properties[name]
		_, known := implicit[name]
		switch {
		case has && known && name == "metadata":
			w.down(new, name, metadata(&was), metadata(&is))
		case has:
			w.down(new, name, &was, &is)
		case known:
		case newMap != nil:
			w.down(new, name, &was, newMap)
		case keeps(new):
			class, more, fix := Behaviour, "", ""
			if seen := w.seenBelow(new, name); seen != "" {
				class, more, fix = BreaksObjects, ": "+seen+" reads it", readFix
			}
			w.add(class, "field-unspecified", "the field is not in the schema: the API server keeps it and accepts any value"+more, fix, name)
		default:
			w.add(BreaksObjects, "field-removed", "the field is gone: the API server drops its value", "keep the field, perhaps with a description that it is unused; remove it in a new version with a conversion", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(new.Properties)) {
		if _, had := old.Properties[name]; had {
			continue
		}
		is := new.Properties[name]
		built, known := implicit[name]
		switch {
		case known && name == "metadata":
			w.down(new, name, &built, metadata(&is))
		case known:
			w.down(new, name, &built, &is)
		case oldMap != nil:
			w.down(new, name, oldMap, &is)
		case keeps(old):
			if !free(&is) {
				w.add(BreaksObjects, "field-specified", "an object may have any value there: now the API server rejects values of another form, and drops fields that the schema does not have",
					"use a name that no object has, or keep the field out of the schema", name)
			}
		default:
			w.added(new, name, &is)
		}
	}
	oldKeeps, newKeeps := keeps(old), keeps(new)
	switch {
	case oldMap != nil && newMap != nil:
		w.down(new, eachKey, oldMap, newMap)
	case oldMap != nil && newKeeps:
		w.add(Behaviour, "field-unspecified", "the values of the map have no schema: the API server accepts any", "")
	case oldMap != nil:
		w.add(BreaksObjects, "map-removed", "the API server drops keys that the schema does not name", "keep additionalProperties")
	case newMap != nil && oldKeeps:
		w.down(new, eachKey, anything(), newMap)
	case newMap != nil && len(old.Properties) > 0:
		class, more, fix := Behaviour, "clients with typed structures lose other keys", ""
		if seen := w.observed(new, true); seen != "" {
			class, more, fix = BreaksObjects, seen+" reads it", readFix
		}
		w.add(class, "type-widened", "the fields of the object became the keys of a map: "+more, fix)
	}
	switch {
	case oldKeeps && !newKeeps && newMap == nil:
		w.add(BreaksObjects, "unknown-fields-dropped", "unknown fields are no longer kept: the API server drops them", "keep x-kubernetes-preserve-unknown-fields, or name all fields that objects have")
	case !oldKeeps && newKeeps && oldMap == nil:
		w.add(Behaviour, "unknown-fields-kept", "unknown fields are kept: misspelt ones are no longer noticed", "")
	}
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

// added adds the change for a new field.
func (w *walker) added(parent *props, name string, field *props) {
	if field.Default == nil {
		w.add(Safe, "field-added", "the field is new", "", name)
		return
	}
	if seen := w.seenDefault(field, parent, name); seen != "" {
		w.add(BreaksObjects, "field-added", fmt.Sprintf("the field is new, and its default %s is in every object: %s", shown(field.Default), seen), "give the field no default", name)
		return
	}
	w.add(Safe, "field-added", fmt.Sprintf("the field is new, and its default is %s", shown(field.Default)), "", name)
}

// required compares the required fields.
func (w *walker) required(old, new *props) {
	had, has := setOf(old.Required, itself), setOf(new.Required, itself)
	for _, name := range new.Required {
		if had[name] {
			was, is := old.Properties[name], new.Properties[name]
			if _, has := new.Properties[name]; has && was.Default != nil && is.Default == nil {
				w.add(BreaksClients, "required-added", "the field is required, and has lost its default: requests without it fail", "keep the default", name)
			}
			continue
		}
		if field, has := new.Properties[name]; has && field.Default != nil {
			continue
		}
		if implicit := w.implicit(new); implicit != nil {
			if _, known := implicit[name]; known {
				continue
			}
		}
		if was, had := old.Properties[name]; had && was.Default != nil {
			w.add(BreaksClients, "required-added", "the field is required, and has lost its default: requests without it fail", "keep the default", name)
			continue
		}
		w.add(BreaksObjects, "required-added", "the field is required: the API server rejects objects without it", "give it a default, or require it in a new version only", name)
	}
	for _, name := range old.Required {
		if _, kept := new.Properties[name]; kept && !has[name] {
			w.add(Behaviour, "required-removed", "the field is no longer required: clients may read objects without it", "", name)
		}
	}
}
