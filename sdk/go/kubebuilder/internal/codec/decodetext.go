package codec

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"unsafe"
)

func (d *decoder) setString(p *plan, v unsafe.Pointer, s string) error {
	switch p.op {
	case opString:
		*(*string)(v) = s
	case opAny:
		*(*any)(v) = s
	case opNumber:
		if numberEnd(s, 0) != len(s) {
			return fmt.Errorf("json: invalid number literal, trying to unmarshal %q into Number", s)
		}
		*(*string)(v) = s
	case opBytes:
		return setBytes(v, s)
	case opSlice:
		if p.t.Elem().Kind() == reflect.Uint8 {
			return setBytes(v, s)
		}
		return p.wrong("string")
	default:
		return p.wrong("string")
	}
	return nil
}

func setBytes(v unsafe.Pointer, s string) error {
	b, err := base64.StdEncoding.DecodeString(s)
	if err == nil {
		*(*[]byte)(v) = b
	}
	return err
}

// textValue decodes the value of a field with the option "string".
func (d *decoder) textValue(p *plan, v unsafe.Pointer) error {
	if d.pos < len(d.text) && d.text[d.pos] == 'n' {
		return d.value(p, v)
	}
	if d.pos < len(d.text) && d.text[d.pos] != '"' {
		if err := d.skip(); err != nil {
			return err
		}
		return fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal unquoted value into %v", p.t)
	}
	s, err := d.string()
	if err != nil {
		return err
	}
	if s == "" {
		return p.unquotable(s)
	}
	if p.op == opPointer && s[0] != 'n' {
		slot := (*unsafe.Pointer)(v)
		if *slot == nil {
			*slot = d.new(p.elem)
		}
		p, v = p.elem, *slot
	}
	inner := decoderOf(d.set, padded(s))
	inner.depth, inner.slabs = d.depth, d.slabs
	switch {
	case p.decode == methodsJSON:
		return p.pointer(v).(unmarshaler).UnmarshalJSON([]byte(s))
	case s[0] == '-' || s[0]-'0' <= 9:
		if p.decode == methodsNone {
			return p.setNumber(v, s, true)
		}
	case s == "true" || s == "false":
		if p.decode == methodsNone && p.op == opBool {
			*(*bool)(v) = s == "true"
			return nil
		}
	case s == "null" || s[0] == '"' && (p.decode == methodsText || p.op == opString || p.op == opNumber):
		if err := inner.value(p, v); err != nil || inner.pos == len(s) {
			return err
		}
	}
	return p.unquotable(s)
}
