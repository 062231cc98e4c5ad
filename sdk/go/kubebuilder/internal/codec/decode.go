package codec

import (
	"encoding"
	"encoding/base64"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// Decode decodes text into the zero value that v points to. Strings in the value are parts of one copy of the text.
//
// # Errors
//
// A *[TypeError] for a value that does not fit its place, an error of a method, or that the text is not JSON.
func (c *Codec) Decode(text []byte, v unsafe.Pointer) error {
	d := decoder{set: c.set, text: padded(text)}
	if c.set.decoding.CompareAndSwap(false, true) {
		d.slabs = true
		defer c.set.decoding.Store(false)
	}
	d.blank()
	if err := d.pointed(c.plan, v); err != nil {
		return err
	}
	if d.blank(); d.pos != len(d.text) {
		return errSyntax
	}
	return nil
}

type decoder struct {
	set   *Set
	text  string // of padded
	pos   int
	depth int
	slabs bool // this decoder alone takes values from the set's slabs
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
	if d.pos >= len(d.text) {
		return errSyntax
	}
	c := d.text[d.pos]
	if p.decode != methodsNone && p.op != opPointer {
		if done, err := d.byMethod(p, p.decode, v); done || err != nil {
			return err
		}
	}
	switch p.op {
	case opPointer:
		if c == 'n' {
			*(*unsafe.Pointer)(v) = nil
			return d.word("null")
		}
		slot := (*unsafe.Pointer)(v)
		if *slot == nil {
			*slot = d.new(p.elem)
		}
		if d.depth++; d.depth > maxDepth {
			return errTooDeep
		}
		err := d.pointed(p.elem, *slot)
		d.depth--
		return err
	case opTime, opMicroTime, opDuration, opIntOrString, opRawExtension, opFieldsV1:
		return d.known(p, v)
	case opOpaque:
		return d.opaque(p, v)
	case opFallback:
		return d.byFallback(p, v)
	}
	switch c {
	case '{', '[':
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
	case 't', 'f':
		word := "true"
		if c == 'f' {
			word = "false"
		}
		if err := d.word(word); err != nil {
			return err
		}
		switch p.op {
		case opBool:
			*(*bool)(v) = c == 't'
			return nil
		case opAny:
			*(*any)(v) = c == 't'
			return nil
		}
		return p.wrong("bool")
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
	return p.setNumber(v, text, false)
}

func (p *plan) wrong(value string) error { return &TypeError{Value: value, Type: p.t} }

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

// setNumber sets a number from its text, which may come from a string for fields with the option "string".
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
			return p.wrong("number " + text)
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

func (d *decoder) object(p *plan, v unsafe.Pointer) error {
	switch p.op {
	case opStruct, opMap, opTextMap, opAny:
	default:
		return p.wrong("object")
	}
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
	for more, first := true, true; more; first = false {
		key, end, err := d.key(first)
		if end || err != nil {
			return err
		}
		f := p.lookUp(key)
		switch {
		case f == nil:
			err = d.skip()
		default:
			at := f.make(v)
			switch {
			case at == nil:
				err = fmt.Errorf("json: cannot set embedded pointer to unexported struct: %v", f.hops[len(f.hops)-1].to)
			case f.text:
				err = d.textValue(f.plan, at)
			default:
				err = d.value(f.plan, at)
			}
			if err != nil {
				return within(err, "."+f.name)
			}
		}
		if err != nil {
			return err
		}
		if more, err = d.next('}'); err != nil {
			return err
		}
	}
	return nil
}

// within puts a step before the path of a TypeError.
func within(err error, step string) error {
	var wrong *TypeError
	if errors.As(err, &wrong) {
		wrong.Field = step + wrong.Field
	}
	return err
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

func (d *decoder) textMap(p *plan, v unsafe.Pointer) error {
	m := *(*map[string]string)(v)
	if m == nil {
		m = make(map[string]string)
		*(*map[string]string)(v) = m
	}
	for more, first := true, true; more; first = false {
		key, end, err := d.key(first)
		if end || err != nil {
			return err
		}
		var s string
		if err := d.value(p.elem, unsafe.Pointer(&s)); err != nil {
			return within(err, "["+strconv.Quote(key)+"]")
		}
		m[key] = s
		if more, err = d.next('}'); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) mapping(p *plan, v unsafe.Pointer) error {
	if !p.keyDecode && !p.plainKey() {
		return p.wrong("object")
	}
	m := p.value(v)
	if m.IsNil() {
		m.Set(reflect.MakeMap(p.t))
	}
	value := reflect.New(p.elem.t)
	for more, first := true, true; more; first = false {
		name, end, err := d.key(first)
		if end || err != nil {
			return err
		}
		value.Elem().SetZero()
		if err := d.value(p.elem, value.UnsafePointer()); err != nil {
			return within(err, "["+strconv.Quote(name)+"]")
		}
		key := reflect.New(p.key)
		switch {
		case p.keyDecode && p.keyJSON:
			err = key.Interface().(unmarshaler).UnmarshalJSON(appendQuoted(nil, name, false))
		case p.keyDecode:
			err = key.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(name))
		case p.key.Kind() == reflect.String:
			key.Elem().SetString(name)
		default:
			number := plan{op: opInt, t: p.key, bits: p.key.Bits()}
			if key.Elem().CanUint() {
				number.op = opUint
			}
			err = number.setNumber(key.UnsafePointer(), name, true)
		}
		if err != nil {
			return err
		}
		m.SetMapIndex(key.Elem(), value.Elem())
		if more, err = d.next('}'); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) array(p *plan, v unsafe.Pointer) error {
	switch p.op {
	case opSlice, opBytes, opArray, opAny:
	default:
		return p.wrong("array")
	}
	if p.op == opAny {
		list, err := d.anyArray()
		*(*any)(v) = list
		return err
	}
	n := 0
	d.pos++ // the bracket
	if d.blank(); d.pos < len(d.text) && d.text[d.pos] == ']' {
		d.pos++
	} else {
		for more := true; more; n++ {
			at, err := d.element(p, v, n)
			switch {
			case err != nil:
			case at == nil:
				err = d.skip()
			default:
				err = d.value(p.elem, at)
			}
			if err != nil {
				return within(err, "["+strconv.Itoa(n)+"]")
			}
			if more, err = d.next(']'); err != nil {
				return err
			}
		}
	}
	if p.op == opArray {
		for value := p.value(v); n < p.t.Len(); n++ {
			value.Index(n).SetZero()
		}
		return nil
	}
	h := (*slice)(v)
	if n == 0 && h.data == nil {
		h.data = unsafe.Pointer(&d.set.empty)
	}
	h.len = n
	return nil
}

// element returns where element n of a slice or array is to be decoded, for which the slice grows; nil if an array ends before.
func (d *decoder) element(p *plan, v unsafe.Pointer, n int) (unsafe.Pointer, error) {
	if p.op == opArray {
		if n >= p.t.Len() {
			return nil, nil
		}
		return unsafe.Add(v, uintptr(n)*p.elem.size), nil
	}
	h := (*slice)(v)
	if n >= h.cap {
		least := 4
		if p.elem.size > 64 { // most lists of large structs are short
			least = 1
		}
		size := max(2*h.cap, least)
		if h.len == 0 {
			h.data = d.take(p.elem, size)
		} else {
			grown := reflect.MakeSlice(p.t, size, size)
			reflect.Copy(grown, p.value(v))
			h.data = grown.UnsafePointer()
		}
		h.cap = size
	}
	if n >= h.len {
		h.len = n + 1
	}
	return unsafe.Add(h.data, uintptr(n)*p.elem.size), nil
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
	inner := decoder{set: d.set, text: padded(s), depth: d.depth, slabs: d.slabs}
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

// byMethod decodes by a method of the type; done is false if the type is to be decoded as others.
func (d *decoder) byMethod(p *plan, m methods, v unsafe.Pointer) (done bool, err error) {
	if m == methodsJSON {
		start := d.pos
		if err := d.skip(); err != nil {
			return true, err
		}
		return true, p.pointer(v).(unmarshaler).UnmarshalJSON([]byte(d.text[start:d.pos]))
	}
	switch d.text[d.pos] {
	case 'n':
		return false, nil
	case '"':
		s, err := d.string()
		if err != nil {
			return true, err
		}
		return true, p.pointer(v).(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
	}
	return true, p.wrong("value that is not a string")
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

func (d *decoder) blank() {
	if d.pos < len(d.text) && d.text[d.pos] > ' ' {
		return
	}
	d.blanks()
}

func (d *decoder) blanks() {
	for d.pos < len(d.text) {
		switch d.text[d.pos] {
		case ' ', '\t', '\r', '\n':
			d.pos++
		default:
			return
		}
	}
}

func (d *decoder) word(w string) error {
	if len(d.text)-d.pos < len(w) || d.text[d.pos:d.pos+len(w)] != w {
		return errSyntax
	}
	d.pos += len(w)
	return nil
}

func (d *decoder) number() (string, error) {
	end := numberEnd(d.text, d.pos)
	if end < 0 {
		return "", errSyntax
	}
	s := d.text[d.pos:end]
	d.pos = end
	return s, nil
}

// padded returns a copy of a text that has eight zeros behind it in memory, so that words can be read up to its end.
func padded[T string | []byte](text T) string {
	buffer := make([]byte, len(text)+8)
	copy(buffer, text)
	return unsafe.String(unsafe.SliceData(buffer), len(text))
}

// string reads a string, which begins at pos. It is a part of the text if it has no escapes and is valid UTF-8.
func (d *decoder) string() (string, error) {
	start := d.pos + 1
	if end := d.stop(start); end < len(d.text) && d.text[end] == '"' {
		d.pos = end + 1
		return d.text[start:end], nil
	}
	escaped, wide, err := d.skipString()
	if err != nil {
		return "", err
	}
	s := d.text[start : d.pos-1]
	if escaped || wide && !utf8.ValidString(s) {
		return unquote(s), nil
	}
	return s, nil
}

// stop returns where the next byte is that needs a closer look in a string: a quote, a backslash, a control character, a byte beyond
// ASCII, or the padding.
func (d *decoder) stop(i int) int {
	data := unsafe.Pointer(unsafe.StringData(d.text))
	for {
		if special := specials(*(*uint64)(unsafe.Add(data, i))); special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
		i += 8
	}
}

// skipString goes behind a string.
func (d *decoder) skipString() (escaped, wide bool, err error) {
	text := d.text
	for i := d.pos + 1; ; i++ {
		if i = d.stop(i); i >= len(text) {
			return false, false, errSyntax
		}
		switch c := text[i]; {
		case c == '"':
			d.pos = i + 1
			return escaped, wide, nil
		case c == '\\':
			escaped = true
			if i++; i >= len(text) {
				return false, false, errSyntax
			}
			switch text[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if unit(text, i-1) < 0 {
					return false, false, errSyntax
				}
				i += 4
			default:
				return false, false, errSyntax
			}
		case c < ' ':
			return false, false, errSyntax
		default:
			wide = true
		}
	}
}

// skip goes behind the value at pos, which must be JSON.
func (d *decoder) skip() error {
	if d.pos >= len(d.text) {
		return errSyntax
	}
	switch d.text[d.pos] {
	case '"':
		_, _, err := d.skipString()
		return err
	case 't':
		return d.word("true")
	case 'f':
		return d.word("false")
	case 'n':
		return d.word("null")
	case '{', '[':
	default:
		_, err := d.number()
		return err
	}
	if d.depth++; d.depth > maxDepth {
		return errTooDeep
	}
	err := d.skipContainer()
	d.depth--
	return err
}

func (d *decoder) skipContainer() error {
	if d.text[d.pos] == '[' {
		d.pos++
		if d.blank(); d.pos < len(d.text) && d.text[d.pos] == ']' {
			d.pos++
			return nil
		}
		for more := true; more; {
			if err := d.skip(); err != nil {
				return err
			}
			var err error
			if more, err = d.next(']'); err != nil {
				return err
			}
		}
		return nil
	}
	for more, first := true, true; more; first = false {
		_, end, err := d.key(first)
		if end || err != nil {
			return err
		}
		if err := d.skip(); err != nil {
			return err
		}
		if more, err = d.next('}'); err != nil {
			return err
		}
	}
	return nil
}
