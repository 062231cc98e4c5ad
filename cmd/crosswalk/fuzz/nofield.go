package fuzz

import (
	"context"
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
)

// noField returns the outermost field of a lost or changed value that the other version's schema
// does not have, and says so in the symptom. It returns "" if there is none.
func (c *checker) noField(ctx context.Context, from, to *version, object *subject, s *symptom) (string, error) {
	if s.hollow || s.property != Lost && s.property != Changed {
		return "", nil
	}
	missing := s.cut
	if missing == "" {
		var err error
		if missing, err = c.unkept(ctx, from, to, object, s); missing == "" || err != nil {
			return "", err
		}
		text := to.Name + " has no " + missing
		if s.detail != "" {
			text += "; " + s.detail
		}
		s.detail = text
	}
	s.class = ClassNoField
	return missing, nil
}

// unkept returns the outermost field that the other version's schema does not have, if the object
// in that version does not depend on anything in the field. It returns "" otherwise: the converter
// moves the field to another place, or keeps it in an annotation, and the loss is a mistake of the
// converter.
func (c *checker) unkept(ctx context.Context, from, to *version, object *subject, s *symptom) (string, error) {
	names := namesAt(from.Schema, s.path)
	leaf := leafAt(object.value, s.at)
	depth := 1
	for depth <= len(names) && to.Has(names[:depth]) {
		depth++
	}
	if depth > len(names) || depth > len(leaf) || names[0] == "metadata" {
		return "", nil
	}
	if a, b := schemaAt(from.Schema, names[:depth-1]), schemaAt(to.Schema, names[:depth-1]); a.Type != b.Type {
		return "", nil // such as an object that the other version has as text
	}
	without := runtime.DeepCopyJSON(object.value)
	shrink.Remove(without, leaf[:depth])
	texts := [][]byte{object.text, encode(without)}
	for _, value := range others(valueOf(object.value, leaf)) {
		other := runtime.DeepCopyJSON(object.value)
		shrink.Set(other, leaf, value)
		texts = append(texts, encode(other))
	}
	answers, err := c.convert.convert(ctx, to.APIVersion, texts)
	if err != nil {
		return "", err
	}
	if answers[0].failure != "" || answers[1].failure != "" {
		return "", nil
	}
	is := answers[0].value()
	to.Prune(is)
	for _, a := range answers[1:] {
		other := a.value()
		if other == nil {
			continue
		}
		if to.Prune(other); !same(is, other) {
			return "", nil
		}
	}
	return generalPath(from.Schema, leaf[:depth]), nil
}

// others returns values of the same type as a scalar.
func others(value any) []any {
	switch v := value.(type) {
	case string:
		return []any{"a", "example", "1"}
	case bool:
		return []any{!v}
	case int64:
		return []any{int64(1), int64(2), v + 1}
	case float64:
		return []any{int64(1), 0.5}
	}
	return nil
}

// namesAt returns the names in a path of a report, as Version.Has takes them. It returns nil if the
// schema does not have the path. A name may contain dots, so the schema decides where it ends.
func namesAt(s *schema.Structural, path string) []string {
	if s == nil {
		return nil
	}
	after := func(name string, child *schema.Structural) []string {
		rest, ok := strings.CutPrefix(path, name)
		switch {
		case !ok:
			return nil
		case rest == "":
			return []string{name}
		case rest[0] == '.':
			rest = rest[1:]
		case rest[0] != '[':
			return nil
		}
		if names := namesAt(child, rest); names != nil {
			return append([]string{name}, names...)
		}
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		if names := after(name, &property); names != nil {
			return names
		}
	}
	if s.AdditionalProperties != nil {
		return after("*", s.AdditionalProperties.Structural)
	}
	return after("[]", s.Items)
}

// schemaAt returns the schema at the names of namesAt. The caller knows that it exists.
func schemaAt(s *schema.Structural, names []string) *schema.Structural {
	for _, name := range names {
		property, ok := s.Properties[name]
		switch {
		case ok:
			s = &property
		case name == "[]":
			s = s.Items
		default:
			s = s.AdditionalProperties.Structural
		}
	}
	return s
}
