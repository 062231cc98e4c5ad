package codec

import (
	"reflect"
	"unsafe"
)

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

// Zeros returns a function that returns the JSON of a member in an object that is made of a zero
// struct; ok is false if the member is left out there. The function keeps the struct and the texts
// from call to call, because those of a pod take kilobytes.
func (s Shape) Zeros() func(name string) (text []byte, ok bool) {
	var zero unsafe.Pointer
	var texts map[string][]byte // nil: left out
	return func(name string) (text []byte, ok bool) {
		if s.plan == nil || s.plan.op != opStruct {
			return nil, false
		}
		if text, ok = texts[name]; ok {
			return text, text != nil
		}
		if zero == nil {
			zero, texts = reflect.New(s.plan.t).UnsafePointer(), map[string][]byte{}
		}
		c := Codec{set: s.set, plan: s.plan}
		if text, ok, _ = c.AppendMember(nil, zero, name); !ok {
			text = nil
		}
		texts[name] = text
		return text, ok
	}
}

// zero says whether omitzero leaves the value out.
func (f *field) zero(v unsafe.Pointer, addressable bool) bool {
	value := f.plan.value(v)
	switch f.isZero {
	case zeroByMethod:
		return value.Kind() == reflect.Pointer && value.IsNil() || value.Interface().(zeroer).IsZero()
	case zeroByPointerMethod:
		if !addressable {
			boxed := reflect.New(f.plan.t)
			boxed.Elem().Set(value)
			return boxed.Interface().(zeroer).IsZero()
		}
		return f.plan.pointer(v).(zeroer).IsZero()
	case zeroByInterfaceMethod:
		return value.IsNil() || value.Elem().Kind() == reflect.Pointer && value.Elem().IsNil() || value.Interface().(zeroer).IsZero()
	}
	return value.IsZero()
}
