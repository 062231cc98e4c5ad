package projection

import (
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Check appends the parts of a module's answer, to which s has been reset, and checks every byte of
// it. broken describes a part that an answer may not have, in words that follow "its answer"; it is
// "" if the answer is well-formed and has declared fields only. s has the error if the answer is
// not strictly valid JSON, and broken is "" then.
func (f *Fields) Check(s *rawjson.Scanner, parts []Part, answer []byte) (_ []Part, broken Breach) {
	if is := s.Peek(); is != rawjson.Object && is != rawjson.Invalid {
		return parts, Breachf("is %v, not an object", is)
	}
	c := checker{s: s, answer: answer, parts: parts, base: len(parts)}
	c.value(f.root, -1)
	if c.broken == "" {
		s.End()
	}
	return c.parts, c.broken
}

type checker struct {
	s      *rawjson.Scanner
	answer []byte
	parts  []Part
	base   int
	broken Breach
}

// value checks the next value.
func (c *checker) value(f *field, key int) {
	s := c.s
	is := s.Peek()
	if is == rawjson.Invalid {
		return
	}
	at, start := len(c.parts), s.Offset()
	p := Part{field: f, key: int32(key), start: int32(start), shape: f.shapeOf(c.answer[start])}
	c.parts = append(c.parts, p)
	switch p.shape {
	case object:
		s.Object()
		for c.broken == "" {
			m, ok := s.Member()
			if !ok {
				break
			}
			c.parts[at].count++
			if child := f.find(m.Key); child != nil && !child.isNothing() {
				c.value(child, m.Start)
			} else if value := s.Skip(); s.Err() == nil && !saysNothing(value.Of(c.answer)) {
				c.broken = Breachf("has %s, which is not among the fields that the module declares", place(c.answer, m.Start))
			}
		}
	case array:
		s.Array()
		for c.broken == "" && s.Element() {
			c.parts[at].count++
			c.value(f.elements, -1)
		}
	case other:
		if s.Skip(); f.role == isMetadata && s.Err() == nil {
			c.broken = Breachf("has metadata that is %v, not an object", is)
		}
	case null:
		s.Skip()
		if f.role == isMetadata {
			c.broken = "has metadata that is null, not an object"
		}
	default:
		s.Skip()
	}
	if s.Err() == nil {
		c.parts[at].end, c.parts[at].next = int32(s.Offset()), int32(len(c.parts)-c.base)
	}
}

// saysNothing reports whether a value is null, or an object whose members all say nothing. Typed
// languages write such values for empty fields (status, metadata.creationTimestamp).
func saysNothing(value []byte) bool {
	switch value[0] {
	case 'n':
		return true
	case '{':
	default:
		return false
	}
	i := rawjson.Space(value, 1)
	for i < len(value) && value[i] != '}' {
		if value[i] == ',' {
			i = rawjson.Space(value, i+1)
		}
		end, _ := rawjson.EndOfString(value, i)
		i = rawjson.Space(value, rawjson.Space(value, end)+1)
		end = rawjson.EndOfValue(value, i)
		if i >= len(value) || !saysNothing(value[i:end]) {
			return false
		}
		i = rawjson.Space(value, end)
	}
	return true
}
