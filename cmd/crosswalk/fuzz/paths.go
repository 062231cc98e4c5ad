package fuzz

import (
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
)

// step returns the schema of a member and its path in a report.
func step(s *schema.Structural, general, key string) (child *schema.Structural, path string) {
	if s != nil {
		if property, ok := s.Properties[key]; ok {
			return &property, join(general, key)
		}
		if s.AdditionalProperties != nil {
			return s.AdditionalProperties.Structural, join(general, "*")
		}
	}
	return nil, join(general, key)
}

// generalPath returns a path as a report shows it.
func generalPath(s *schema.Structural, path shrink.Path) string {
	general := ""
	for _, at := range path {
		switch at := at.(type) {
		case string:
			s, general = step(s, general, at)
		case int:
			s, general = itemsOf(s), general+"[]"
		}
	}
	return general
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

// within reports whether a path of a report is another or below it.
func within(path, outer string) bool {
	if path == outer {
		return true
	}
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest[0] == '.' || rest[0] == '[')
}

// index is the index of an element in a path.
var index = regexp.MustCompile(`\[[0-9]+\]`)

// general returns a path of an API server's error as a report shows it, as far as the path says it.
func general(path string) string { return index.ReplaceAllString(path, "[]") }

func valueOf(object any, p shrink.Path) any {
	for _, step := range p {
		switch at := step.(type) {
		case string:
			object = object.(map[string]any)[at]
		case int:
			object = object.([]any)[at]
		}
	}
	return object
}

// leafAt returns the path of an innermost value from its text in a report, with indices and keys;
// nil if the object does not have it.
func leafAt(object map[string]any, at string) shrink.Path {
	for _, leaf := range shrink.Leaves(object) {
		text := ""
		for _, step := range leaf {
			switch step := step.(type) {
			case string:
				text = join(text, step)
			case int:
				text += "[" + strconv.Itoa(step) + "]"
			}
		}
		if text == at {
			return leaf
		}
	}
	return nil
}
