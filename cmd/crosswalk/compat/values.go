package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

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

// standard compares the default of the current value.
func (w *walker) standard(old, new *props) {
	if len(w.above) == 0 {
		return
	}
	last := w.above[len(w.above)-1]
	switch {
	case old.Default == nil && new.Default != nil:
		if seen := w.seenDefault(new, nil, ""); seen != "" {
			w.add(BreaksObjects, "default-added", fmt.Sprintf("objects without the field get the default %s: %s", shown(new.Default), seen), "keep the field without a default")
			return
		}
		w.add(Behaviour, "default-added", fmt.Sprintf("objects without the field get the default %s", shown(new.Default)), "keep the field without a default, if its absence has a meaning of its own")
	case old.Default != nil && new.Default == nil:
		if slices.Contains(last.schema.Required, last.step) {
			return // see required
		}
		class, more := Behaviour, ""
		if seen := w.seenDefault(new, nil, ""); seen != "" {
			class, more = BreaksClients, ": "+seen
		}
		w.add(class, "default-removed", fmt.Sprintf("new objects without the field no longer get the default %s%s", shown(old.Default), more), "keep the default")
	case old.Default != nil && !same(old.Default, new.Default):
		class, more := Behaviour, ""
		if seen := w.seenDefault(new, nil, ""); seen != "" {
			class, more = BreaksClients, ": "+seen
		}
		w.add(class, "default-changed", fmt.Sprintf("the default was %s, is %s%s", shown(old.Default), shown(new.Default), more), "keep the default; a new version with a conversion may have another")
	}
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

// bound is a bound of a value.
type bound struct {
	name     string
	old, new *float64 // nil if there is none
	upper    bool
	kinds    []string // of the values that it applies to
}

// bounds compares minima, maxima, lengths, multipleOf, pattern and format.
func (w *walker) bounds(old, new *props) {
	numbers, texts, lists, objects := []string{"integer", "number"}, []string{"string"}, []string{"array"}, []string{"object"}
	for _, b := range []bound{
		{"maximum", old.Maximum, new.Maximum, true, numbers},
		{"minimum", old.Minimum, new.Minimum, false, numbers},
		{"maxLength", float(old.MaxLength), float(new.MaxLength), true, texts},
		{"minLength", natural(old.MinLength), natural(new.MinLength), false, texts},
		{"maxItems", float(old.MaxItems), float(new.MaxItems), true, lists},
		{"minItems", natural(old.MinItems), natural(new.MinItems), false, lists},
		{"maxProperties", float(old.MaxProperties), float(new.MaxProperties), true, objects},
		{"minProperties", natural(old.MinProperties), natural(new.MinProperties), false, objects},
	} {
		if slices.ContainsFunc(b.kinds, func(kind string) bool { return accepts(old, kind) }) {
			w.bound(b)
		}
	}
	if accepts(old, "integer") || accepts(old, "number") {
		w.exclusive("exclusiveMaximum", old.Maximum, new.Maximum, old.ExclusiveMaximum, new.ExclusiveMaximum)
		w.exclusive("exclusiveMinimum", old.Minimum, new.Minimum, old.ExclusiveMinimum, new.ExclusiveMinimum)
		switch was, is := old.MultipleOf, new.MultipleOf; {
		case is != nil && (was == nil || math.Mod(*was, *is) != 0):
			w.narrowed(fmt.Sprintf("multipleOf is %v", *is))
		case was != nil && (is == nil || *was != *is):
			w.widened("multipleOf accepts more numbers")
		}
	}
	if accepts(old, "string") {
		switch {
		case new.Pattern != "" && new.Pattern != old.Pattern:
			w.narrowed(fmt.Sprintf("pattern is %s", quoted(new.Pattern)))
		case old.Pattern != new.Pattern:
			w.widened("there is no pattern")
		}
	}
	w.format(old, new)
}

func quoted(pattern string) string {
	return shown(&apiextensionsv1.JSON{Raw: []byte(encoded(pattern))})
}

const boundFix = "keep the bound; a new version with a conversion may have a narrower one"

func (w *walker) narrowed(text string) {
	w.add(BreaksObjects, "bound-narrowed", "the API server may reject values that it accepted: "+text, boundFix)
}

func (w *walker) widened(text string) { w.add(Safe, "bound-widened", text, "") }

func (w *walker) bound(b bound) {
	switch {
	case b.new == nil && b.old == nil:
	case b.new == nil:
		w.widened(fmt.Sprintf("%s was %v, and is gone", b.name, *b.old))
	case b.old == nil:
		w.narrowed(fmt.Sprintf("%s is %v", b.name, *b.new))
	case b.upper == (*b.new < *b.old) && *b.new != *b.old:
		w.narrowed(fmt.Sprintf("%s was %v, is %v", b.name, *b.old, *b.new))
	case *b.new != *b.old:
		w.widened(fmt.Sprintf("%s was %v, is %v", b.name, *b.old, *b.new))
	}
}

func (w *walker) exclusive(name string, old, new *float64, was, is bool) {
	if old != nil && new != nil && *old == *new {
		switch {
		case is && !was:
			w.narrowed(name + " is true")
		case was && !is:
			w.widened(name + " is gone")
		}
	}
}

func float(n *int64) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

// natural is float for a minimum, of which 0 is none.
func natural(n *int64) *float64 {
	if n == nil || *n <= 0 {
		return nil
	}
	return float(n)
}

// harmless are formats that accept every value of their type.
var harmless = []string{"", "int64", "double", "password"}

// format compares the formats. An unknown one counts as narrower, because a later API server may
// know it.
func (w *walker) format(old, new *props) {
	was, is := strings.ReplaceAll(old.Format, "-", ""), strings.ReplaceAll(new.Format, "-", "")
	switch {
	case was == is:
	case accepts(old, "string") && w.observed(new, true) != "":
		w.add(BreaksObjects, "bound-narrowed", fmt.Sprintf("format was %q, is %q, and gives the value another type in %s", old.Format, new.Format, w.observed(new, true)), boundFix)
	case slices.Contains(harmless, is):
		w.widened(fmt.Sprintf("format was %q, is %q", old.Format, new.Format))
	default:
		w.narrowed(fmt.Sprintf("format was %q, is %q", old.Format, new.Format))
	}
}
