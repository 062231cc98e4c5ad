package prove

import (
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// This file has the questions about schemas that the lemmas ask.

// sides are the schemas of a value in both versions.
type sides = [2]*schema.Structural

// ordered returns the schema of a side's value and that of the other side's, in the order of the
// sides.
func ordered(side int, here, there *schema.Structural) sides {
	if side == 0 {
		return sides{here, there}
	}
	return sides{there, here}
}

// lookup returns the schema of the value at a path; nil if the schema does not name each step.
func lookup(s *schema.Structural, p path) *schema.Structural {
	for _, name := range p {
		if s = child(s, name); s == nil {
			return nil
		}
	}
	return s
}

// child returns the schema of a member, of the elements or of the members; nil if there is none.
func child(s *schema.Structural, name string) *schema.Structural {
	switch {
	case s == nil:
		return nil
	case name == everyElement && s.Type == "array":
		return s.Items
	case name == everyMember && s.Type == "object" && s.AdditionalProperties != nil:
		return s.AdditionalProperties.Structural
	case name == everyElement || name == everyMember || s.Type != "object":
		return nil
	}
	if property, ok := s.Properties[name]; ok {
		return &property
	}
	return nil
}

// requiredOf says which of two objects require a member.
func requiredOf(s sides, name string) (needed [2]bool) {
	for side := range s {
		needed[side] = requires(s[side], name)
	}
	return needed
}

func requires(s *schema.Structural, name string) bool {
	return s != nil && s.ValueValidation != nil && slices.Contains(s.ValueValidation.Required, name)
}

// hasAlways reports whether a member is in every value that has the object around it, after the API
// server has set its defaults.
func hasAlways(s *schema.Structural, at path) bool {
	f := lookup(s, at)
	return f != nil && !isEvery(at.Last()) && (f.Default.Object != nil || requires(lookup(s, at.Parent()), at.Last()))
}

// canBeEmpty reports whether the schema allows an object without members.
func canBeEmpty(s *schema.Structural) bool {
	v := s.ValueValidation
	if v == nil {
		return true
	}
	some := v.MinProperties != nil && *v.MinProperties > 0
	for _, name := range v.Required {
		_, named := s.Properties[name]
		some = some || named
	}
	return !some
}

// setsDefaults reports whether the schema sets a default of a member that the other one has, too, or
// of one within.
func setsDefaults(s, other *schema.Structural, depth int) bool {
	if s == nil || other == nil {
		return false
	}
	for name, property := range s.Properties {
		same, both := other.Properties[name]
		if both && (property.Default.Object != nil || depth > deepest || setsDefaults(&property, &same, depth+1)) {
			return true
		}
	}
	return false
}

// nullable reports whether a value may be null. An API server drops nulls of members that are not
// nullable, and checks no null of an element that has no type.
func nullable(s *schema.Structural, at path) bool {
	return s.Nullable || s.Type == "" && at.Last() == everyElement
}

// holdsNull reports whether a value may be null, or have a member or an element that is.
func holdsNull(s *schema.Structural, depth int) bool {
	if s == nil {
		return false
	}
	if s.Nullable || depth > deepest {
		return true
	}
	for _, property := range s.Properties {
		if holdsNull(&property, depth+1) {
			return true
		}
	}
	if s.AdditionalProperties != nil && holdsNull(s.AdditionalProperties.Structural, depth+1) {
		return true
	}
	return holdsNull(s.Items, depth+1)
}

// valuesOf returns the texts or booleans that a schema allows. all is false if there may be others.
func valuesOf(s *schema.Structural) (values []any, all bool) {
	if s.Type == "boolean" {
		return []any{false, true}, true
	}
	if s.Type != "string" || s.ValueValidation == nil || len(s.ValueValidation.Enum) == 0 {
		return nil, false
	}
	for _, v := range s.ValueValidation.Enum {
		if text, ok := v.Object.(string); ok {
			values = append(values, text)
		}
	}
	return values, true
}

// kindOfType returns the kind of the values of a schema's type.
func kindOfType(name string) string {
	return map[string]string{"string": "string", "boolean": "bool", "integer": "float64", "number": "float64"}[name]
}

// typeOf names the type of a schema, for messages.
func typeOf(s *schema.Structural) string {
	switch {
	case s.XIntOrString:
		return "an int-or-string"
	case s.Type == "":
		return "a value of any type"
	}
	return s.Type
}

// propertiesOf returns the names of the fields of both sides, sorted.
func propertiesOf(s sides) []string {
	seen := map[string]bool{}
	for side := range s {
		for name := range s[side].Properties {
			seen[name] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// without returns a schema without the fields at some paths.
func without(s *schema.Structural, paths []path) *schema.Structural {
	for _, at := range paths {
		if len(at) == 0 || s == nil {
			continue
		}
		property, ok := s.Properties[at[0]]
		if !ok {
			continue
		}
		copied := *s
		copied.Properties = maps.Clone(s.Properties)
		if len(at) == 1 {
			delete(copied.Properties, at[0])
		} else {
			copied.Properties[at[0]] = *without(&property, []path{at[1:]})
		}
		s = &copied
	}
	return s
}
