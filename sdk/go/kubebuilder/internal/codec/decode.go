package codec

import (
	"encoding"
	"errors"
	"fmt"
	"strconv"
	"unsafe"
)

// Decode decodes text into the zero value that v points to. Strings in the value are parts of one
// copy of the text.
//
// # Errors
//
// A *[TypeError] for a value that does not fit its place, an error of a method, or that the text is
// not JSON.
func (c *Codec) Decode(text []byte, v unsafe.Pointer) error { return c.decode(text, v, nil) }

func (c *Codec) decode(text []byte, v unsafe.Pointer, parts *Parts) error {
	alone := c.set.enter()
	d := decoderOf(c.set, c.set.copied(text, alone))
	d.slabs, d.exact, d.integers = alone, c.as.ExactNames, c.as.Integers
	d.blank()
	d.parts = parts
	err := d.pointed(c.plan, v)
	if err == nil {
		if d.blank(); d.pos != len(d.text) {
			err = errSyntax
		}
	}
	c.set.leave(alone)
	return err
}

type decoder struct {
	set   *Set
	data  unsafe.Pointer // the first byte of text
	text  string         // of padded
	pos   int
	depth int
	slabs bool // this decoder alone takes values from the set's slabs

	parts      *Parts // to be noted, or nil
	inMetadata bool

	exact, integers bool // as of Matching
	merges          bool // the value was not zero
}

// decoderOf returns a decoder of a text from padded.
func decoderOf(set *Set, text string) decoder {
	return decoder{set: set, text: text, data: unsafe.Pointer(unsafe.StringData(text))}
}

// pointed is value for the target of a pointer.
func (d *decoder) pointed(p *plan, v unsafe.Pointer) error {
	if p.pointerDecode != methodsNone && d.pos < len(d.text) {
		if done, err := d.byMethod(p, p.pointerDecode, v); done || err != nil {
			return err
		}
	}
	return d.value(p, v)
}

// value decodes the value at pos into v.
func (d *decoder) value(p *plan, v unsafe.Pointer) error {
	c := at(d.data, d.pos)
	if c == 0 {
		return errSyntax
	}
	switch p.how {
	case opStruct:
		if c == '{' {
			return d.structure(p, v)
		}
	case opPointer:
		slot := (*unsafe.Pointer)(v)
		if c == 'n' {
			*slot = nil
			return d.word("null")
		}
		if *slot == nil {
			*slot = d.new(p.elem)
		}
		if d.depth++; d.depth > maxDepth {
			return errTooDeep
		}
		err := d.pointed(p.elem, *slot)
		d.depth--
		return err
	case opMethod:
		if done, err := d.byMethod(p, p.decode, v); done || err != nil {
			return err
		}
	case opTime, opMicroTime, opDuration, opIntOrString, opRawExtension, opFieldsV1:
		return d.known(p, v)
	case opAny, opInterface:
		if d.merges {
			if done, err := d.into(p, v); done {
				return err
			}
		}
	case opSkip:
		return d.skip()
	case opFallback:
		return d.byFallback(p, v)
	}
	switch c {
	case '{', '[':
		if c == '{' && p.op == opStruct {
			return d.structure(p, v)
		}
		if d.depth++; d.depth > maxDepth {
			return errTooDeep
		}
		var err error
		if c == '{' {
			err = d.object(p, v)
		} else {
			err = d.array(p, v)
		}
		d.depth--
		return err
	case '"':
		s, err := d.string()
		if err != nil {
			return err
		}
		return d.setString(p, v, s)
	case 't':
		return d.boolean(p, v, "true", true)
	case 'f':
		return d.boolean(p, v, "false", false)
	case 'n':
		if err := d.word("null"); err != nil {
			return err
		}
		switch p.op {
		case opAny, opInterface, opMap, opTextMap, opSlice, opBytes:
			p.value(v).SetZero()
		}
		return nil
	}
	text, err := d.number()
	if err != nil {
		return err
	}
	if p.op == opAny && d.integers {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil { // fails for a fraction
			*(*any)(v) = n
			return nil
		}
	}
	return p.setNumber(v, text, false)
}

func (d *decoder) boolean(p *plan, v unsafe.Pointer, word string, is bool) error {
	if err := d.word(word); err != nil {
		return err
	}
	switch p.op {
	case opBool:
		*(*bool)(v) = is
	case opAny:
		*(*any)(v) = is
	default:
		return p.wrong("bool")
	}
	return nil
}

// object decodes an object into a value that is not a struct.
func (d *decoder) object(p *plan, v unsafe.Pointer) error {
	switch p.op {
	case opAny:
		m, err := d.anyObject()
		*(*any)(v) = m
		return err
	case opMap:
		return d.mapping(p, v)
	case opTextMap:
		return d.textMap(p, v)
	}
	return p.wrong("object")
}

func (p *plan) wrong(value string) error { return &TypeError{Value: value, Type: p.t} }

// within puts the field's name before the path of a TypeError.
func (f *field) within(err error) error { return within(err, "."+f.name) }

// within puts a step before the path of a TypeError.
func within(err error, step string) error {
	var wrong *TypeError
	if errors.As(err, &wrong) {
		wrong.Field = step + wrong.Field
	}
	return err
}

func (d *decoder) anyValue() (any, error) {
	var v any
	err := d.value(&d.set.any, unsafe.Pointer(&v))
	return v, err
}

func (d *decoder) anyObject() (map[string]any, error) {
	m := map[string]any{}
	for more, first := true, true; more; first = false {
		key, end, err := d.key(first)
		if end || err != nil {
			return m, err
		}
		if m[key], err = d.anyValue(); err != nil {
			return m, err
		}
		if more, err = d.next('}'); err != nil {
			return m, err
		}
	}
	return m, nil
}

func (d *decoder) anyArray() ([]any, error) {
	list := []any{}
	d.pos++ // the bracket
	if d.blank(); d.pos < len(d.text) && d.text[d.pos] == ']' {
		d.pos++
		return list, nil
	}
	for more := true; more; {
		v, err := d.anyValue()
		if err != nil {
			return list, err
		}
		list = append(list, v)
		if more, err = d.next(']'); err != nil {
			return list, err
		}
	}
	return list, nil
}

// key reads the next member's name and its colon; end says that the object has no members.
func (d *decoder) key(first bool) (key string, end bool, err error) {
	if first {
		d.pos++ // the brace
		if d.blank(); d.pos < len(d.text) && d.text[d.pos] == '}' {
			d.pos++
			return "", true, nil
		}
	}
	if d.pos >= len(d.text) || d.text[d.pos] != '"' {
		return "", false, errSyntax
	}
	if key, err = d.string(); err != nil {
		return "", false, err
	}
	if d.blank(); d.pos >= len(d.text) || d.text[d.pos] != ':' {
		return "", false, errSyntax
	}
	d.pos++
	d.blank()
	return key, false, nil
}

// next goes to the next member or element; more is false behind the last one.
func (d *decoder) next(closing byte) (more bool, err error) {
	d.blank()
	if d.pos >= len(d.text) {
		return false, errSyntax
	}
	c := d.text[d.pos]
	d.pos++
	switch c {
	case ',':
		d.blank()
		return true, nil
	case closing:
		return false, nil
	}
	return false, errSyntax
}

// byMethod decodes by a method of the type; done is false if the type is to be decoded as others.
func (d *decoder) byMethod(p *plan, m methods, v unsafe.Pointer) (done bool, err error) {
	if m == methodsJSON {
		start := d.pos
		if err := d.skip(); err != nil {
			return true, err
		}
		return true, p.pointer(v).(unmarshaler).UnmarshalJSON([]byte(d.text[start:d.pos]))
	}
	switch c := d.text[d.pos]; c {
	case 'n':
		return false, nil
	case '"':
		s, err := d.string()
		if err != nil {
			return true, err
		}
		return true, p.pointer(v).(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
	default:
		return true, p.wrong(kindOf(c))
	}
}

// kindOf returns the kind of a JSON value that begins with c and is neither null nor a string.
func kindOf(c byte) string {
	switch c {
	case 't', 'f':
		return "bool"
	case '{':
		return "object"
	case '[':
		return "array"
	}
	return "number"
}

func (d *decoder) byFallback(p *plan, v unsafe.Pointer) error {
	if d.set.fallback.Unmarshal == nil {
		return fmt.Errorf("the type %s needs encoding/json, which this module does not have", p.t)
	}
	start := d.pos
	if err := d.skip(); err != nil {
		return err
	}
	return d.set.fallback.Unmarshal([]byte(d.text[start:d.pos]), p.pointer(v))
}
