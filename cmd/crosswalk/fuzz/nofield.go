package fuzz

import (
	"context"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
)

// noField returns the outermost field of a lost or changed value that the other version's schema
// does not have, and says so in the symptom. It returns "" if there is none.
func (c *checker) noField(ctx context.Context, from, to *version, object *subject, s *symptom) (string, error) {
	if s.hollow || s.class == ClassDefault || s.property != Lost && s.property != Changed {
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
	names, _ := namesAt(from.Schema, "", s.path)
	leaf := leafAt(object.value, s.at)
	depth := 1
	for depth <= len(names) && to.Has(names[:depth]) {
		depth++
	}
	if depth > len(names) || depth > len(leaf) {
		return "", nil
	}
	around := generalPath(from.Schema, leaf[:depth-1])
	if a, b := schemaOf(from.Schema, around), schemaOf(to.Schema, around); a != nil && b != nil && a.Type != b.Type {
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

// namesAt returns the names in a path of a report, as Version.Has takes them, and the schema there. at is
// the path of the schema. It returns nil if the schema does not have the path. A name may contain dots, so
// the schema decides where it ends.
func namesAt(s *schema.Structural, at, path string) (names []string, found *schema.Structural) {
	if at == path {
		return nil, s
	}
	eachChild(s, at, func(child string, s *schema.Structural) {
		if found == nil && Within(path, child) {
			if names, found = namesAt(s, child, path); found != nil {
				names = append([]string{strings.TrimPrefix(child[len(at):], ".")}, names...)
			}
		}
	})
	return names, found
}
