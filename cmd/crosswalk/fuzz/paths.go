package fuzz

import (
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
)

// unnamed is the schema of a field that the schema around it keeps and does not name, and of all values
// within.
var unnamed = &schema.Structural{}

// step returns the schema of a member and its path in a report. A field that its schema does not name
// stands for all values within: they have one cause.
func step(s *schema.Structural, general, key string) (child *schema.Structural, path string) {
	switch {
	case s == unnamed:
		return s, general
	case s == nil:
		return nil, join(general, key)
	}
	if property, ok := s.Properties[key]; ok {
		return &property, join(general, key)
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Structural, join(general, "*")
	}
	if s.XPreserveUnknownFields {
		return unnamed, join(general, key)
	}
	return nil, join(general, key)
}

// element returns the schema of the elements of a list and their path in a report.
func element(s *schema.Structural, general string) (child *schema.Structural, path string) {
	if s == unnamed {
		return s, general
	}
	return itemsOf(s), general + "[]"
}

// generalPath returns a path as a report shows it.
func generalPath(s *schema.Structural, path shrink.Path) string {
	_, general := place(s, path)
	return general
}

// place returns the schema at a path, and the path as a report shows it.
func place(s *schema.Structural, path shrink.Path) (child *schema.Structural, general string) {
	for _, at := range path {
		switch at := at.(type) {
		case string:
			s, general = step(s, general, at)
		case int:
			s, general = element(s, general)
		}
	}
	return s, general
}

// named reports whether a schema names a member. Others are entries of a map, or unknown.
func named(s *schema.Structural, key string) bool {
	if s == nil {
		return false
	}
	_, ok := s.Properties[key]
	return ok
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func itemsOf(s *schema.Structural) *schema.Structural {
	if s == nil {
		return nil
	}
	return s.Items
}

// Within reports whether a path of a report is another or below it.
func Within(path, outer string) bool {
	if path == outer {
		return true
	}
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest[0] == '.' || rest[0] == '[')
}

// Around reports whether one of two paths of a report is the other or below it.
func Around(a, b string) bool { return Within(a, b) || Within(b, a) }

// general returns a path of an API server's error as a report shows it, as far as the path says it.
func general(path string) string { return index.ReplaceAllString(path, "[]") }

var index = regexp.MustCompile(`\[[0-9]+\]`)

// valueOf returns the value at a path; nil if there is none.
func valueOf(object any, p shrink.Path) any {
	value, _ := shrink.At(object, p)
	return value
}

// leafAt returns the path of an innermost value from its text in a report, with indices and keys;
// nil if the object does not have it.
func leafAt(object map[string]any, at string) shrink.Path {
	for _, leaf := range shrink.Leaves(object) {
		if pathText(leaf) == at {
			return leaf
		}
	}
	return nil
}

// pathText returns the text of a path in a report, with indices and keys.
func pathText(path shrink.Path) (text string) {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			text = join(text, step)
		case int:
			text += "[" + strconv.Itoa(step) + "]"
		}
	}
	return text
}
