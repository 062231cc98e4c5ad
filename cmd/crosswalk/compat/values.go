package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
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

// decoded returns a JSON value for comparison.
func decoded(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(raw)
	}
	return v
}

func same(a, b *apiextensionsv1.JSON) bool { return reflect.DeepEqual(decoded(a.Raw), decoded(b.Raw)) }

// encoded returns a schema as text for comparison.
func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// shown returns a value for a message.
func shown(v *apiextensionsv1.JSON) string {
	const most = 60
	text := string(v.Raw)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// canonical returns a form of a JSON value that equal values share.
func canonical(v apiextensionsv1.JSON) string { return encoded(decoded(v.Raw)) }

// setOf returns the elements of a list, in a form for comparison.
func setOf[T any](list []T, as func(T) string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, one := range list {
		set[as(one)] = true
	}
	return set
}

func itself(name string) string { return name }
