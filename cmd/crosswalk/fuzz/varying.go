package fuzz

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
)

// gather collects the values at the wanted paths of an object.
func gather(s *schema.Structural, value any, wanted map[string]bool, into map[string][]any) {
	visit(s, value, "", nil, func(path string, _ shrink.Path, value any) bool {
		if wanted[path] {
			into[path] = append(into[path], value)
		}
		return true
	})
}

// locate returns the first place of a path in an object; nil if there is none.
func locate(s *schema.Structural, object map[string]any, path string) (at shrink.Path) {
	visit(s, object, "", nil, func(general string, p shrink.Path, _ any) bool {
		if general == path {
			at = slices.Clone(p)
		}
		return at == nil
	})
	return at
}

// visit calls f with each value in an object that a schema describes, until it returns false.
func visit(s *schema.Structural, value any, general string, at shrink.Path, f func(general string, at shrink.Path, value any) bool) bool {
	if s == nil || general != "" && !f(general, at, value) {
		return false
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if general == "" && (key == "metadata" || key == "apiVersion" || key == "kind") {
				continue
			}
			if child, path := step(s, general, key); child != nil && child != unnamed && !visit(child, v[key], path, append(at, key), f) {
				return false
			}
		}
	case []any:
		for i, e := range v {
			if s.Items != nil && !visit(s.Items, e, general+"[]", append(at, i), f) {
				return false
			}
		}
	}
	return true
}

// valueOrAbsent returns the first value at a path.
func valueOrAbsent(s *schema.Structural, object map[string]any, path string) any {
	if at := locate(s, object, path); at != nil {
		return valueOf(object, at)
	}
	return absent{}
}

// schemaOf returns the schema at a path of a report.
func schemaOf(s *schema.Structural, path string) *schema.Structural {
	_, found := namesAt(s, "", path)
	return found
}

// shapes are texts of the forms that converters read: durations, quantities, numbers, parts.
var shapes = []any{"1h0m0s", "90s", "20Gi", "8080", "true", "false", "a:b", "a/b", "a,b", "a=b", "a1", "http://example.com:8080/a"}

// variants returns values to replace a value with: itself first, and absence last.
func variants(s *schema.Structural, value any, known []any) (all []any) {
	all = []any{value}
	if s != nil && s.ValueValidation != nil && len(s.ValueValidation.Enum) > 0 {
		for _, v := range s.ValueValidation.Enum[:min(len(s.ValueValidation.Enum), 8)] {
			all = append(all, v.Object)
		}
		return append(all, absent{})
	}
	switch v := value.(type) {
	case bool:
		all = append(all, !v)
	case int64:
		all = append(all, v+1, v-1, v+60, int64(0), int64(1), int64(60), int64(1<<30))
	case float64:
		all = append(all, v+1, v/2, 0.5, int64(1))
	case string:
		all = append(append(append(all, counted(v)), known[:min(len(known), 4)]...), shapes...)
	case map[string]any:
		other := runtime.DeepCopyJSON(v)
		other["key"] = "a"
		all = append(all, other)
	case []any:
		all = append(all, append(slices.Clone(v), "a"), []any{"a", "b"}, []any{"c"})
	}
	if s != nil && s.XIntOrString {
		all = append(all, int64(8080), int64(1), "50%", "http")
	}
	return append(all, absent{})
}

// counted returns a text with other digits: a schedule stays one, and so does an address.
func counted(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r < '9' {
			return r + 1
		}
		return r
	}, text)
}

// plain replaces the texts of an object by plain words where its schema allows it.
func plain(ctx context.Context, v *version, object map[string]any) map[string]any {
	n := 0
	for _, leaf := range shrink.Leaves(object) {
		text, ok := valueOf(object, leaf).(string)
		if !ok || leaf[0] == "metadata" || leaf[0] == "apiVersion" || leaf[0] == "kind" || plainText.MatchString(text) {
			continue
		}
		other := runtime.DeepCopyJSON(object)
		n++
		shrink.Set(other, leaf, string(rune('a'+n%26))+"1")
		if len(v.ValidateSchema(ctx, other)) == 0 {
			object = other
		}
	}
	return object
}

// opposites are words of which one says the opposite of the other.
var opposites = [][2]string{
	{"enable", "disable"}, {"enabled", "disabled"}, {"allow", "deny"}, {"allowed", "denied"}, {"include", "exclude"}, {"included", "excluded"},
	{"min", "max"}, {"minimum", "maximum"}, {"on", "off"}, {"show", "hide"}, {"start", "stop"}, {"before", "after"}, {"first", "last"},
	{"source", "target"}, {"internal", "external"}, {"public", "private"}, {"up", "down"}, {"add", "remove"}, {"with", "without"}, {"use", "skip"},
}

// Opposite reports whether the names at the ends of two paths say the opposite of each other.
func Opposite(a, b string) bool {
	x, y := wordsOf(a), wordsOf(b)
	for _, pair := range opposites {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			if slices.Contains(x, p[0]) && slices.Contains(y, p[1]) && !slices.Contains(x, p[1]) && !slices.Contains(y, p[0]) {
				return true
			}
		}
	}
	return slices.Contains(x, "no") != slices.Contains(y, "no") || slices.Contains(x, "not") != slices.Contains(y, "not")
}

// wordsOf returns the words of the name at the end of a path, in lower case.
func wordsOf(path string) []string {
	name := path[strings.LastIndexByte(path, '.')+1:]
	var spaced strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}
