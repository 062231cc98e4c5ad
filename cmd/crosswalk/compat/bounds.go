package compat

import (
	"fmt"
	"math"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

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
			w.changed(b.compare())
		}
	}
	if accepts(old, "integer") || accepts(old, "number") {
		w.changed(exclusive("exclusiveMaximum", old.Maximum, new.Maximum, old.ExclusiveMaximum, new.ExclusiveMaximum))
		w.changed(exclusive("exclusiveMinimum", old.Minimum, new.Minimum, old.ExclusiveMinimum, new.ExclusiveMinimum))
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

// changed adds the change of a bound, if there is one.
func (w *walker) changed(text string, narrower bool) {
	switch {
	case text == "":
	case narrower:
		w.narrowed(text)
	default:
		w.widened(text)
	}
}

func (w *walker) narrowed(text string) {
	w.add(BreaksObjects, "bound-narrowed", "the API server may reject values that it accepted: "+text, boundFix)
}

func (w *walker) widened(text string) { w.add(Safe, "bound-widened", text, "") }

// compare says how the bound changed; narrower reports whether it accepts fewer values. The text is
// "" if it did not change.
func (b bound) compare() (text string, narrower bool) {
	switch {
	case b.new == nil && b.old == nil:
	case b.new == nil:
		return fmt.Sprintf("%s was %v, and is gone", b.name, *b.old), false
	case b.old == nil:
		return fmt.Sprintf("%s is %v", b.name, *b.new), true
	case *b.new != *b.old:
		return fmt.Sprintf("%s was %v, is %v", b.name, *b.old, *b.new), b.upper == (*b.new < *b.old)
	}
	return "", false
}

// exclusive compares whether an unchanged bound excludes its own value, as compare does.
func exclusive(name string, old, new *float64, was, is bool) (text string, narrower bool) {
	switch {
	case old == nil || new == nil || *old != *new || was == is:
		return "", false
	case is:
		return name + " is true", true
	}
	return name + " is gone", false
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
	case accepts(old, "string") && w.around.observed(new, true) != "":
		w.add(BreaksObjects, "bound-narrowed", fmt.Sprintf("format was %q, is %q, and gives the value another type in %s", old.Format, new.Format, w.around.observed(new, true)), boundFix)
	case slices.Contains(harmless, is):
		w.widened(fmt.Sprintf("format was %q, is %q", old.Format, new.Format))
	default:
		w.narrowed(fmt.Sprintf("format was %q, is %q", old.Format, new.Format))
	}
}
