package codec

import "reflect"

// Shape is the table of a place in an encoded value, for those who walk the value's JSON. The zero
// Shape knows nothing.
type Shape struct {
	set  *Set
	plan *plan
}

// Shape returns the shape of the codec's values.
func (c *Codec) Shape() Shape { return Shape{c.set, c.plan}.open() }

// open goes through pointers, and knows nothing of types that encode themselves.
func (s Shape) open() Shape {
	for s.plan != nil && s.plan.op == opPointer {
		s.plan = s.plan.elem
	}
	if s.plan != nil && s.plan.pointerEncode != methodsNone {
		return Shape{}
	}
	return s
}

// Member returns the shape of an object's member.
func (s Shape) Member(name string) Shape {
	switch {
	case s.plan == nil:
	case s.plan.op == opStruct:
		if f := s.plan.lookUp(name); f != nil && f.name == name {
			return Shape{s.set, f.plan}.open()
		}
	case s.plan.op == opMap:
		return Shape{s.set, s.plan.elem}.open()
	}
	return Shape{}
}

// Element returns the shape of a list's elements.
func (s Shape) Element() Shape {
	if s.plan != nil && (s.plan.op == opSlice || s.plan.op == opArray) {
		return Shape{s.set, s.plan.elem}.open()
	}
	return Shape{}
}

// Zero returns the JSON of a member in an object that is made of a zero struct; ok is false if the
// member is left out there.
func (s Shape) Zero(name string) (text []byte, ok bool) {
	if s.plan == nil || s.plan.op != opStruct {
		return nil, false
	}
	c := Codec(s)
	text, ok, _ = c.AppendMember(nil, reflect.New(s.plan.t).UnsafePointer(), name)
	return text, ok
}
