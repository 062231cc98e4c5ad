package codec

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// setNumber sets a number from its text, which may come from a string for fields with the option
// "string".
func (p *plan) setNumber(v unsafe.Pointer, text string, quoted bool) error {
	switch p.op {
	case opInt:
		n, err := strconv.ParseInt(text, 10, p.bits)
		if err != nil {
			return p.wrong("number " + text)
		}
		switch p.bits {
		case 8:
			*(*int8)(v) = int8(n)
		case 16:
			*(*int16)(v) = int16(n)
		case 32:
			*(*int32)(v) = int32(n)
		default:
			*(*int64)(v) = n
		}
	case opUint:
		n, err := strconv.ParseUint(text, 10, p.bits)
		if err != nil {
			return p.wrong("number " + text)
		}
		switch p.bits {
		case 8:
			*(*uint8)(v) = uint8(n)
		case 16:
			*(*uint16)(v) = uint16(n)
		case 32:
			*(*uint32)(v) = uint32(n)
		default:
			*(*uint64)(v) = n
		}
	case opFloat:
		n, err := strconv.ParseFloat(text, p.bits)
		if err != nil {
			return p.wrong("number " + text)
		}
		if p.bits == 32 {
			*(*float32)(v) = float32(n)
		} else {
			*(*float64)(v) = n
		}
	case opNumber:
		*(*string)(v) = text
	case opAny:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return &TypeError{Value: "number " + text, Type: reflect.TypeFor[float64]()}
		}
		*(*any)(v) = n
	default:
		if quoted {
			return p.unquotable(text)
		}
		return p.wrong("number")
	}
	return nil
}

func (p *plan) unquotable(text string) error {
	return fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal %q into %v", text, p.t)
}

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

// unquote appends the text of the inside of a JSON string. Escapes have been checked; invalid UTF-8
// and half surrogate pairs become U+FFFD.
func unquote(out []byte, s string) []byte {
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && s[i] != '\\' && s[i] < utf8.RuneSelf {
			i++
		}
		out = append(out, s[start:i]...)
		switch {
		case i == len(s):
			return out
		case s[i] >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			out = utf8.AppendRune(out, r)
			i += size
			continue
		}
		switch c := s[i+1]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := unit(s, i)
			i += 4
			if utf16.IsSurrogate(r) {
				if second := unit(s, i+2); utf16.DecodeRune(r, second) != utf8.RuneError {
					r = utf16.DecodeRune(r, second)
					i += 6
				} else {
					r = utf8.RuneError
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, c)
		}
		i += 2
	}
	return out
}

// unit returns the UTF-16 unit of the escape \uXXXX at s[i:], -1 if there is no such escape.
func unit(s string, i int) (unit rune) {
	if i+6 > len(s) || s[i] != '\\' || s[i+1] != 'u' {
		return -1
	}
	for _, c := range []byte(s[i+2 : i+6]) {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		unit = unit<<4 | rune(c)
	}
	return unit
}
