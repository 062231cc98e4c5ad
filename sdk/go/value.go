package crosswalk

import (
	"iter"
	"strconv"
)

// Value is one value within an [Object], or the object itself. Its methods take a path: the keys
// that lead from this value to another one. The empty path is this value itself. The value at a
// path is
//
//   - absent if a member on the path is missing or null. This is not an error: readers return ok =
//     false; Rename, Move and Remove do nothing.
//   - wrong if it has another type than the method expects, or if a value on the path is not an
//     object. Readers return an error that names the path and both types; edits and iterators
//     record the error, and the object is refused with it.
//
// A Value is valid until the converter returns. A value that was removed, replaced or moved can
// still be read; editing it has no effect on the object.
type Value struct {
	d *document
	n int32 // -1 = absent
}

// Type is the JSON type of a value.
type Type uint8

// The types of JSON.
const (
	TypeInvalid Type = iota // the value is absent, or the object malformed
	TypeNull
	TypeBool
	TypeNumber
	TypeString
	TypeArray
	TypeObject
)

// String returns the type with its article, as in "a string".
func (t Type) String() string {
	switch t {
	case TypeNull:
		return "null"
	case TypeBool:
		return "a boolean"
	case TypeNumber:
		return "a number"
	case TypeString:
		return "a string"
	case TypeArray:
		return "an array"
	case TypeObject:
		return "an object"
	}
	return "nothing"
}

// Get returns the value at path. ok is false if the value is absent or null, or if a value on the
// path is not an object.
func (v Value) Get(path ...string) (value Value, ok bool) {
	n, _ := v.lookup(path)
	value = Value{v.d, n}
	return value, n >= 0 && value.Type() != TypeNull
}

// Type returns the type of this value.
func (v Value) Type() Type {
	if v.d == nil || v.n < 0 {
		return TypeInvalid
	}
	return types[v.d.kind(v.n)]
}

// types maps the first byte of a value to its type. It is a table because branches are slow in Go's
// WebAssembly.
var types = [256]Type{
	'{': TypeObject, '[': TypeArray, '"': TypeString, 't': TypeBool, 'f': TypeBool, 'n': TypeNull, '-': TypeNumber,
	'0': TypeNumber, '1': TypeNumber, '2': TypeNumber, '3': TypeNumber, '4': TypeNumber, '5': TypeNumber,
	'6': TypeNumber, '7': TypeNumber, '8': TypeNumber, '9': TypeNumber,
}

// String returns the string at path, unescaped.
func (v Value) String(path ...string) (s string, ok bool, err error) {
	raw, ok, err := v.read(path, TypeString, "a string")
	if !ok || len(raw) < 2 {
		return "", false, err
	}
	raw = raw[1 : len(raw)-1]
	for _, c := range raw {
		if c == '\\' {
			return string(unquote(nil, raw)), true, nil
		}
	}
	return string(raw), true, nil
}

// Int returns the integer at path. A number with a fraction, an exponent or more than 64 bits is
// wrong.
func (v Value) Int(path ...string) (i int64, ok bool, err error) {
	raw, ok, err := v.read(path, TypeNumber, "an integer")
	if !ok {
		return 0, false, err
	}
	if i, err = strconv.ParseInt(string(raw), 10, 64); err != nil {
		return 0, false, Errorf("%s must be an integer of 64 bits, but is %s", v.d.location(v.n, path...), raw)
	}
	return i, true, nil
}

// Bool returns the boolean at path.
func (v Value) Bool(path ...string) (b, ok bool, err error) {
	raw, ok, err := v.read(path, TypeBool, "a boolean")
	return ok && raw[0] == 't', ok, err
}

// Raw returns the JSON text of the value at path; ok is false if the value is absent, but true for
// null. Do not change the text, and do not keep it after the converter returns.
func (v Value) Raw(path ...string) (raw []byte, ok bool) {
	n, _ := v.lookup(path)
	if n < 0 {
		return nil, false
	}
	return v.d.raw(n), true
}

// Members iterates over the members of the object at path, in their order. The loop may edit,
// rename and remove the current member.
func (v Value) Members(path ...string) iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		n := v.container(path, TypeObject, "an object")
		if n < 0 {
			return
		}
		for c := v.d.after(n, 0); c != 0; c = v.d.after(n, c) {
			if !yield(v.d.keyOf(c), Value{v.d, c}) {
				return
			}
		}
	}
}

// Elements iterates over the elements of the array at path. The loop may edit and remove the
// current element.
func (v Value) Elements(path ...string) iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		n := v.container(path, TypeArray, "an array")
		if n < 0 {
			return
		}
		i := 0
		for c := v.d.after(n, 0); c != 0; c = v.d.after(n, c) {
			if !yield(i, Value{v.d, c}) {
				return
			}
			i++
		}
	}
}

// Location returns the location of the value at path as messages name it:
// ".spec.containers[0].image".
func (v Value) Location(path ...string) string {
	if v.d == nil {
		return "nothing"
	}
	return v.d.location(v.n, path...)
}

// lookup returns the value at path, or -1 if it is absent. It returns an error if a value on the
// path is not an object.
func (v Value) lookup(path []string) (int32, error) {
	n := v.n
	if v.d == nil || n < 0 {
		return -1, nil
	}
	for _, key := range path {
		c := v.d.find(n, key)
		if c == 0 {
			if t := (Value{v.d, n}).Type(); t != TypeObject && t != TypeNull {
				return -1, v.d.wrong(n, "an object")
			}
			return -1, nil
		}
		n = c
	}
	return n, nil
}

// read returns the text of the value at path if that has the type wanted.
func (v Value) read(path []string, want Type, words string) (raw []byte, ok bool, err error) {
	n, err := v.lookup(path)
	if n < 0 {
		return nil, false, err
	}
	switch (Value{v.d, n}).Type() {
	case want:
		return v.d.raw(n), true, nil
	case TypeNull:
		return nil, false, nil
	}
	return nil, false, v.d.wrong(n, words)
}

// container returns the value at path if that has the type wanted, else -1. It records the error if
// the type is wrong.
func (v Value) container(path []string, want Type, words string) int32 {
	n, err := v.lookup(path)
	if n >= 0 {
		switch (Value{v.d, n}).Type() {
		case want:
			return n
		case TypeNull:
		default:
			err = v.d.wrong(n, words)
		}
	}
	if err != nil {
		v.d.fail(err)
	}
	return -1
}

// wrong returns the error for a value that has another type than wanted.
func (d *document) wrong(n int32, want string) error {
	return Errorf("%s must be %s, but is %s", d.location(n), want, Value{d, n}.Type())
}

// fail records the first error; the object is refused with it.
func (d *document) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}
