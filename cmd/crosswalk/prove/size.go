package prove

import (
	"encoding/json"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

const (
	// mostKept is the size of the annotation (docs/spec/stash.md).
	mostKept = 131_072
	// keptHead is the room for all of the annotation but pointers and values.
	keptHead = 4_096
)

// pointersOf returns more than the bytes of all pointers to fields that rules name. around is that of
// the pointer to the value that they are about.
func pointersOf(all []rules.Statement, around int) (bytes int) {
	for _, s := range all {
		longest := around
		for _, one := range s.Paths {
			n := around + pointerBytes(one)
			bytes, longest = bytes+n, max(longest, n)
		}
		for _, one := range s.Parts {
			bytes += around + pointerBytes(one)
		}
		for _, one := range s.For {
			bytes += pointerBytes(one)
		}
		bytes += pointersOf(s.Inner, longest)
	}
	return bytes
}

// pointerBytes returns more than the bytes of a pointer to a field in the annotation.
func pointerBytes(p path) int {
	text, _ := json.Marshal(p.Pointer()) // of texts
	return len(text) + 8
}

const (
	// longestRune is the most bytes of a character in JSON, as two escapes.
	longestRune = 12
	// longestNumber is more than the bytes of any number that an API server writes.
	longestNumber = 40
	// deepest bounds the depth of a value.
	deepest = 64
)

// longest returns a bound for the JSON of the values that a schema allows; mostKept or more if there
// is none below it.
func longest(s *schema.Structural, depth int) int {
	if depth > deepest || s == nil || s.XPreserveUnknownFields || s.XEmbeddedResource || s.XIntOrString {
		return mostKept
	}
	v := s.ValueValidation
	if v == nil {
		v = &schema.ValueValidation{}
	}
	switch s.Type {
	case "boolean":
		return len("false")
	case "integer", "number":
		return longestNumber
	case "string":
		if len(v.Enum) > 0 {
			most := 0
			for _, one := range v.Enum {
				text, _ := one.Object.(string)
				most = max(most, len(text))
			}
			return 2 + longestRune*most
		}
		if n := mostRunes(v.Pattern); v.MaxLength != nil || n < mostKept {
			if v.MaxLength != nil {
				n = int(min(int64(n), *v.MaxLength))
			}
			return 2 + times(int64(n), longestRune)
		}
	case "array":
		if v.MaxItems != nil && s.Items != nil {
			return 2 + times(*v.MaxItems, 1+longest(s.Items, depth+1))
		}
	case "object":
		if s.AdditionalProperties != nil {
			return mostKept // keys have no bound
		}
		size := 2
		for name, property := range s.Properties {
			size = min(mostKept, size+4+longestRune*len(name)+longest(&property, depth+1))
		}
		return size
	}
	return mostKept
}

// times multiplies without overflow.
func times(n int64, each int) int {
	if n < 0 || n >= mostKept || int(n)*each >= mostKept {
		return mostKept
	}
	return int(n) * each
}
