package schema

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// canonical appends a form of the next value that is equal for two values if, and only if, the
// values are equal: objects regardless of the order of their members, strings regardless of their
// escapes, numbers by their value. For an invalid document the form is undefined.
func canonical(dst []byte, s *rawjson.Scanner, doc []byte) []byte {
	switch s.Peek() {
	case rawjson.Object:
		return canonicalObject(dst, s, doc)
	case rawjson.Array:
		dst = append(dst, '[')
		for s.Array(); s.Element(); {
			dst = canonical(dst, s, doc)
		}
		return append(dst, ']')
	case rawjson.String:
		_, text := s.String()
		return canonicalText(dst, text)
	case rawjson.Number:
		return canonicalNumber(dst, s.Skip().Of(doc))
	default:
		return append(dst, s.Skip().Of(doc)...) // true, false and null
	}
}

func canonicalObject(dst []byte, s *rawjson.Scanner, doc []byte) []byte {
	type member struct{ key, value []byte }
	var members []member
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		key := canonicalText(nil, m.Key)
		members = append(members, member{key, canonical(nil, s, doc)})
	}
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for _, m := range members {
		dst = append(append(dst, m.key...), m.value...)
	}
	return append(dst, '}')
}

// canonicalText appends the length of the text and the text, so that no content can be mistaken for
// another value.
func canonicalText(dst, text []byte) []byte {
	dst = append(strconv.AppendInt(append(dst, '"'), int64(len(text)), 10), ':')
	return append(dst, text...)
}

func canonicalNumber(dst, token []byte) []byte {
	if n, whole := parseInt(token); whole {
		return strconv.AppendInt(append(dst, '#'), n, 10)
	}
	f := parseFloat(token)
	if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return strconv.AppendInt(append(dst, '#'), int64(f), 10)
	}
	return strconv.AppendFloat(append(dst, '~'), f, 'g', -1, 64)
}
