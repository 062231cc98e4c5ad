package compat

import (
	"fmt"
	"maps"
	"slices"
)

// members compares the fields of an object, or the entries of a map.
func (w *walker) members(old, new *props) {
	implicit := w.around.implicit(new)
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
			if seen := w.around.seenBelow(new, name); seen != "" {
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
		if seen := w.around.observed(new, true); seen != "" {
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

// added adds the change for a new field.
func (w *walker) added(parent *props, name string, field *props) {
	if field.Default == nil {
		w.add(Safe, "field-added", "the field is new", "", name)
		return
	}
	if seen := w.around.seenDefault(field, parent, name); seen != "" {
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
		if implicit := w.around.implicit(new); implicit != nil {
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
