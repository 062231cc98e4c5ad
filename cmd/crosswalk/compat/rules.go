package compat

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const ruleFix = "keep objects valid that exist: let the rule pass them (optionalOldSelf, or a condition), or use a new version with a conversion"

// rules compares the CEL rules of the current value.
func (w *walker) rules(old, new *props) {
	type key struct {
		rule     string
		optional bool
	}
	keys := func(s *props) (list []key) {
		for _, r := range s.XValidations {
			list = append(list, key{strings.TrimSpace(r.Rule), r.OptionalOldSelf != nil && *r.OptionalOldSelf})
		}
		return list
	}
	was, is := keys(old), keys(new)
	had, has := map[key]bool{}, map[key]bool{}
	for _, k := range was {
		had[k] = true
	}
	for _, k := range is {
		has[k] = true
	}
	for _, k := range is {
		if had[k] {
			continue
		}
		text := shown(&apiextensionsv1.JSON{Raw: []byte(k.rule)})
		if aboutNewField(k.rule, old, new) {
			w.add(Safe, "validation-added", "a rule about a new field is new: "+text, "")
			continue
		}
		if strings.Contains(k.rule, "oldSelf") && !k.optional {
			w.add(BreaksClients, "validation-added", "the API server may reject updates that it accepted: a rule is new: "+text, ruleFix)
			continue
		}
		w.add(BreaksObjects, "validation-added", "the API server may reject objects that it accepted: a rule is new: "+text, ruleFix)
	}
	for _, k := range was {
		if !has[k] {
			w.add(Safe, "validation-removed", "a rule is gone: "+shown(&apiextensionsv1.JSON{Raw: []byte(k.rule)}), "")
		}
	}
}

// aboutNewField reports whether a rule passes every object without a field that OLD does not have:
// it has the form !has(self.field) || ….
func aboutNewField(rule string, old, new *props) bool {
	rest, ok := strings.CutPrefix(rule, "!has(self.")
	name, rest, closed := strings.Cut(rest, ")")
	if !ok || !closed || !plain(name) || !strings.HasPrefix(strings.TrimSpace(rest), "||") || strings.Contains(rest, "?") || keeps(old) || valuesOf(old) != nil {
		return false
	}
	_, had := old.Properties[name]
	field, has := new.Properties[name]
	return !had && has && field.Default == nil
}

// logic compares allOf, anyOf, oneOf and not.
func (w *walker) logic(old, new *props) {
	texts := func(list []props) (all []string) {
		for i := range list {
			all = append(all, encoded(&list[i]))
		}
		slices.Sort(all)
		return all
	}
	has := func(list, of []string) bool {
		set := setOf(list, itself)
		return !slices.ContainsFunc(of, func(one string) bool { return !set[one] })
	}
	compare := func(name string, was, is []string, wider func() bool) {
		switch {
		case slices.Equal(was, is):
		case len(is) == 0 || len(was) > 0 && wider():
			w.add(Safe, "validation-removed", name+" accepts more", "")
		default:
			w.add(BreaksObjects, "validation-added", "the API server may reject objects that it accepted: "+name+" is new or different", ruleFix)
		}
	}
	was, is := texts(old.AllOf), texts(new.AllOf)
	if len(was) == 0 && len(is) > 0 {
		was = []string{encoded(&props{})}
	}
	compare("allOf", was, is, func() bool { return has(was, is) })
	was, is = texts(anyOf(old)), texts(anyOf(new))
	compare("anyOf", was, is, func() bool { return has(is, was) })
	compare("oneOf", texts(old.OneOf), texts(new.OneOf), func() bool { return false })
	not := func(s *props) []string {
		if s.Not == nil {
			return nil
		}
		return []string{encoded(s.Not)}
	}
	compare("not", not(old), not(new), func() bool { return false })
}

// anyOf returns the branches of a schema, without those that only repeat x-kubernetes-int-or-string.
func anyOf(s *props) []props {
	if s.XIntOrString && encoded(s.AnyOf) == `[{"type":"integer"},{"type":"string"}]` {
		return nil
	}
	return s.AnyOf
}

// maxWork bounds the search for rules that read values. The largest real definitions need some
// thousand steps; beyond the bound, a rule may read every value.
const maxWork = 1_000_000

// observed names a rule of the new schema that can see the current value: its own CEL rules if self
// is set, and the rules of the values around it.
func (w *walker) observed(new *props, self bool) string {
	if self && len(new.XValidations) > 0 {
		return "a rule"
	}
	for i, f := range w.above {
		if w.work++; w.work > maxWork {
			return "a rule, perhaps,"
		}
		where := "a rule"
		if i > 0 {
			where = "a rule of " + w.above[i-1].step
		}
		for _, r := range f.schema.XValidations {
			w.work += len(r.Rule) / 64
			if mentions(r.Rule, f.step) {
				return where
			}
		}
		if w.branchSees(f.schema, f.step) {
			return where
		}
		if len(f.schema.Enum) > 0 {
			return "an enum"
		}
	}
	return ""
}

// seenBelow is observed for a member of the current value.
func (w *walker) seenBelow(parent *props, name string) string {
	w.above = append(w.above, frame{parent, name})
	defer func() { w.above = w.above[:len(w.above)-1] }()
	return w.observed(&props{}, false)
}

// seenDefault returns the reason for which an object may be rejected because the current value, or
// the named member of it, has a new default; "" if there is none. field is the schema of the value.
func (w *walker) seenDefault(field, parent *props, member string) string {
	if parent != nil {
		w.above = append(w.above, frame{parent, member})
		defer func() { w.above = w.above[:len(w.above)-1] }()
	}
	if field.Default != nil && w.below(field, func(s *props) bool { return s != field && s.Default != nil }) && w.below(field, ruled) {
		return "values within it get defaults, and a rule there reads them"
	}
	if seen := w.observed(&props{}, false); seen != "" {
		return seen + " reads it"
	}
	last := w.above[len(w.above)-1]
	if last.schema.MaxProperties != nil {
		return "maxProperties counts it"
	}
	for i, f := range w.above {
		if f.step != eachElement || f.schema.XListType == nil {
			continue
		}
		if *f.schema.XListType == "set" {
			return "elements of the set may become equal"
		}
		if *f.schema.XListType == "map" && i+1 < len(w.above) && slices.Contains(f.schema.XListMapKeys, w.above[i+1].step) {
			return "keys of elements of the list may become equal"
		}
	}
	return ""
}

// below reports whether a schema or a part of it is as asked.
func (w *walker) below(s *props, is func(*props) bool) bool {
	if w.work++; w.work > maxWork || is(s) {
		return true
	}
	for _, p := range s.Properties {
		if w.below(&p, is) {
			return true
		}
	}
	if s.Items != nil && s.Items.Schema != nil && w.below(s.Items.Schema, is) {
		return true
	}
	values := valuesOf(s)
	return values != nil && w.below(values, is)
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
func (w *walker) branchSees(s *props, step string) bool {
	var branches []props
	branches = append(append(append(branches, s.AllOf...), s.AnyOf...), s.OneOf...)
	if s.Not != nil {
		branches = append(branches, *s.Not)
	}
	for i := range branches {
		if w.work++; w.work > maxWork {
			return true
		}
		b := &branches[i]
		_, named := b.Properties[step]
		if step == eachElement && b.Items != nil || step == eachKey && b.AdditionalProperties != nil ||
			named || slices.Contains(b.Required, step) || b.MaxProperties != nil || b.MinProperties != nil || len(b.Enum) > 0 || w.branchSees(b, step) {
			return true
		}
	}
	return false
}

// listType compares x-kubernetes-list-type and x-kubernetes-list-map-keys.
func (w *walker) listType(old, new *props) {
	kind := func(s *props) string {
		if s.XListType == nil {
			return "atomic"
		}
		return *s.XListType
	}
	was, is := kind(old), kind(new)
	const fix = "keep the type of the list: field managers own its elements by it"
	switch {
	case was != is && is != "atomic":
		w.add(BreaksObjects, "list-type", fmt.Sprintf("the list was %s, is %s: the API server rejects equal elements, and field managers own other parts", was, is), fix)
	case was != is:
		w.add(BreaksClients, "list-type", fmt.Sprintf("the list was %s, is %s: server-side apply replaces the elements of other field managers", was, is), fix)
	case is != "map":
	case slices.ContainsFunc(old.XListMapKeys, func(key string) bool { return !slices.Contains(new.XListMapKeys, key) }):
		w.add(BreaksObjects, "list-type", fmt.Sprintf("the keys of elements were %s, are %s: the API server rejects elements with equal keys", strings.Join(old.XListMapKeys, ", "), strings.Join(new.XListMapKeys, ", ")), fix)
	case len(old.XListMapKeys) != len(new.XListMapKeys):
		w.add(BreaksClients, "list-type", fmt.Sprintf("the keys of elements were %s, are %s: server-side apply takes elements for others", strings.Join(old.XListMapKeys, ", "), strings.Join(new.XListMapKeys, ", ")), fix)
	}
}

// mapType compares x-kubernetes-map-type.
func (w *walker) mapType(old, new *props) {
	kind := func(s *props) string {
		if s.XMapType == nil {
			return "granular"
		}
		return *s.XMapType
	}
	if was, is := kind(old), kind(new); was != is {
		w.add(Behaviour, "map-type", fmt.Sprintf("the object was %s, is %s: field managers own other parts of it", was, is), "keep x-kubernetes-map-type")
	}
}
