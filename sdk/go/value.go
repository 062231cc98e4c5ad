package crosswalk

import (
	"iter"
	"strconv"
)

// Value is one value within an [Object], or the object itself. Its methods take a path, the keys that lead from this value
// to the one that is meant; no keys mean this value. What a path leads to is
//
//   - absent, if a member on the way is missing or null. That is not an error: readers say ok = false, Rename, Move and
//     Delete do nothing.
//   - wrong, if it is there and of another type than the method asks for, or if something on the way is no object. Readers
//     return an error that says where and what; edits and iterators remember it, and the object is refused with it.
//
// A Value is valid until the function it was given to returns. One that was deleted, replaced or moved can still be read;
// to edit it has no effect on the object.
type Value struct {
	d *document
	n int32 // -1 = absent
}

// Type says what a value is.
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

// String returns the type with its article, as messages need it.
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

// Get returns the value at path; ok is false if it is absent, null, or beneath something that is no object.
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

// types has the type of a value by its first byte. A table, not a switch, because branches are what compiled Go is slow at
// in WebAssembly.
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

// Int returns the integer at path. A number with a fraction or an exponent, or beyond 64 bits, is wrong.
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

// Raw returns the JSON text of the value at path, null included; ok is false if it is absent. The text must not be changed,
// nor kept when the function returns.
func (v Value) Raw(path ...string) (raw []byte, ok bool) {
	n, _ := v.lookup(path)
	if n < 0 {
		return nil, false
	}
	return v.d.raw(n), true
}

// Members iterates over the members of the object at path, in their order. The current one may be edited, renamed and
// deleted.
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

// Elements iterates over the elements of the array at path. The current one may be edited and deleted.
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

// Location says where the value at path is, as messages name it: ".spec.containers[0].image".
func (v Value) Location(path ...string) string {
	if v.d == nil {
		return "nothing"
	}
	return v.d.location(v.n, path...)
}

// lookup returns the value at path, -1 if it is absent. The error says that something on the way is no object.
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

// read returns the text of the value at path, if it is there and of the type wanted.
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

// container returns the value at path if it is of the type wanted, else -1; what is wrong is remembered.
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

// wrong is the error for a value of another type than wanted.
func (d *document) wrong(n int32, want string) error {
	return Errorf("%s must be %s, but is %s", d.location(n), want, Value{d, n}.Type())
}

// fail remembers the first error; the object is refused with it.
func (d *document) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}
