package compat

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// standard compares the default of the current value.
func (w *walker) standard(old, new *props) {
	if len(w.around.frames) == 0 {
		return
	}
	last := w.around.frames[len(w.around.frames)-1]
	switch {
	case old.Default == nil && new.Default != nil:
		if seen := w.around.seenDefault(new, nil, ""); seen != "" {
			w.add(BreaksObjects, "default-added", fmt.Sprintf("objects without the field get the default %s: %s", shown(new.Default), seen), "keep the field without a default")
			return
		}
		w.add(Behaviour, "default-added", fmt.Sprintf("objects without the field get the default %s", shown(new.Default)), "keep the field without a default, if its absence has a meaning of its own")
	case old.Default != nil && new.Default == nil:
		if slices.Contains(last.schema.Required, last.step) {
			return // see required
		}
		class, more := Behaviour, ""
		if seen := w.around.seenDefault(new, nil, ""); seen != "" {
			class, more = BreaksClients, ": "+seen
		}
		w.add(class, "default-removed", fmt.Sprintf("new objects without the field no longer get the default %s%s", shown(old.Default), more), "keep the default")
	case old.Default != nil && !same(old.Default, new.Default):
		class, more := Behaviour, ""
		if seen := w.around.seenDefault(new, nil, ""); seen != "" {
			class, more = BreaksClients, ": "+seen
		}
		w.add(class, "default-changed", fmt.Sprintf("the default was %s, is %s%s", shown(old.Default), shown(new.Default), more), "keep the default; a new version with a conversion may have another")
	}
}

// enum compares the lists of allowed values.
func (w *walker) enum(old, new *props) {
	const fix = "keep the values; a new version with a conversion may have fewer"
	switch {
	case len(new.Enum) == 0 && len(old.Enum) == 0:
	case len(new.Enum) == 0:
		w.add(Behaviour, "enum-widened", "all values are accepted: clients may read values that they do not know", "")
	case len(old.Enum) == 0:
		w.add(BreaksObjects, "enum-narrowed", "only the values of an enum are accepted", fix)
	default:
		was, is := setOf(old.Enum, canonical), setOf(new.Enum, canonical)
		without := func(list []apiextensionsv1.JSON, set map[string]bool) (rest []string) {
			for i := range list {
				if !set[canonical(list[i])] {
					rest = append(rest, shown(&list[i]))
				}
			}
			return rest
		}
		if gone := without(old.Enum, is); len(gone) > 0 {
			w.add(BreaksObjects, "enum-narrowed", "values are no longer accepted: "+some(gone), fix)
		}
		if more := without(new.Enum, was); len(more) > 0 {
			w.add(Behaviour, "enum-widened", "more values are accepted, which clients may not know: "+some(more), "")
		}
	}
}

// some lists up to ten values.
func some(list []string) string {
	const most = 10
	if more := len(list) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), more)
	}
	return strings.Join(list, ", ")
}
