package compat

import (
	"slices"
	"strings"
)

// surroundings are the values around the current one, outermost first, and the search for rules that
// read it.
type surroundings struct {
	frames []frame
	work   int // done to find the rules that read a value
}

// frame is a value of the new schema, and the step from it to the next one.
type frame struct {
	schema *props
	step   string
}

func (a *surroundings) enter(schema *props, step string) {
	a.frames = append(a.frames, frame{schema, step})
}

func (a *surroundings) leave() { a.frames = a.frames[:len(a.frames)-1] }

// steps returns the path of a member of the current value.
func (a *surroundings) steps(member ...string) (steps []string) {
	for _, f := range a.frames {
		steps = append(steps, f.step)
	}
	return append(steps, member...)
}

// implicit are the fields that every resource has, whether or not its schema names them.
func (a *surroundings) implicit(s *props) map[string]props {
	if len(a.frames) > 0 && !s.XEmbeddedResource {
		return nil
	}
	return map[string]props{
		"apiVersion": {Type: "string"}, "kind": {Type: "string"},
		"metadata": {Type: "object", Properties: map[string]props{"name": {Type: "string"}, "generateName": {Type: "string"}}},
	}
}

// maxWork bounds the search for rules that read values. The largest real definitions need some
// thousand steps; beyond the bound, a rule may read every value.
const maxWork = 1_000_000

// observed names a rule of the new schema that can see the current value: its own CEL rules if self
// is set, and the rules of the values around it.
func (a *surroundings) observed(new *props, self bool) string {
	if self && len(new.XValidations) > 0 {
		return "a rule"
	}
	for i, f := range a.frames {
		if a.work++; a.work > maxWork {
			return "a rule, perhaps,"
		}
		where := "a rule"
		if i > 0 {
			where = "a rule of " + a.frames[i-1].step
		}
		for _, r := range f.schema.XValidations {
			a.work += len(r.Rule) / 64
			if mentions(r.Rule, f.step) {
				return where
			}
		}
		if a.branchSees(f.schema, f.step) {
			return where
		}
		if len(f.schema.Enum) > 0 {
			return "an enum"
		}
	}
	return ""
}

// seenBelow is observed for a member of the current value.
func (a *surroundings) seenBelow(parent *props, name string) string {
	a.enter(parent, name)
	defer a.leave()
	return a.observed(&props{}, false)
}

// seenDefault returns the reason for which an object may be rejected because the current value, or
// the named member of it, has a new default; "" if there is none. field is the schema of the value.
func (a *surroundings) seenDefault(field, parent *props, member string) string {
	if parent != nil {
		a.enter(parent, member)
		defer a.leave()
	}
	if field.Default != nil && a.below(field, func(s *props) bool { return s != field && s.Default != nil }) && a.below(field, ruled) {
		return "values within it get defaults, and a rule there reads them"
	}
	if seen := a.observed(&props{}, false); seen != "" {
		return seen + " reads it"
	}
	last := a.frames[len(a.frames)-1]
	if last.schema.MaxProperties != nil {
		return "maxProperties counts it"
	}
	for i, f := range a.frames {
		if f.step != eachElement || f.schema.XListType == nil {
			continue
		}
		if *f.schema.XListType == "set" {
			return "elements of the set may become equal"
		}
		if *f.schema.XListType == "map" && i+1 < len(a.frames) && slices.Contains(f.schema.XListMapKeys, a.frames[i+1].step) {
			return "keys of elements of the list may become equal"
		}
	}
	return ""
}

// below reports whether a schema or a part of it is as asked.
func (a *surroundings) below(s *props, is func(*props) bool) bool {
	if a.work++; a.work > maxWork || is(s) {
		return true
	}
	for _, p := range s.Properties {
		if a.below(&p, is) {
			return true
		}
	}
	if s.Items != nil && s.Items.Schema != nil && a.below(s.Items.Schema, is) {
		return true
	}
	values := valuesOf(s)
	return values != nil && a.below(values, is)
}

// ruled reports whether a schema has rules about several values.
func ruled(s *props) bool {
	return len(s.XValidations)+len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) > 0 || s.Not != nil || s.MaxProperties != nil
}

// mentions reports whether a CEL rule may read a part of its value. It errs on the side of yes.
func mentions(rule, step string) bool {
	if step == eachElement || step == eachKey || !plain(step) || strings.Contains(rule, step) {
		return true
	}
	for rest := rule; ; { // self as a whole
		_, after, found := strings.Cut(rest, "self")
		if !found {
			return false
		}
		if !strings.HasPrefix(strings.TrimSpace(after), ".") {
			return true
		}
		rest = after
	}
}

// plain reports whether CEL knows a field by its own name.
func plain(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) && !strings.Contains(name, "__")
}

// branchSees reports whether allOf, anyOf, oneOf or not of a schema read a part of its value.
func (a *surroundings) branchSees(s *props, step string) bool {
	var branches []props
	branches = append(append(append(branches, s.AllOf...), s.AnyOf...), s.OneOf...)
	if s.Not != nil {
		branches = append(branches, *s.Not)
	}
	for i := range branches {
		if a.work++; a.work > maxWork {
			return true
		}
		b := &branches[i]
		_, named := b.Properties[step]
		if step == eachElement && b.Items != nil || step == eachKey && b.AdditionalProperties != nil ||
			named || slices.Contains(b.Required, step) || b.MaxProperties != nil || b.MinProperties != nil || len(b.Enum) > 0 || a.branchSees(b, step) {
			return true
		}
	}
	return false
}
