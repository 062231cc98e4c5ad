package compat

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
