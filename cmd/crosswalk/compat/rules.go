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
