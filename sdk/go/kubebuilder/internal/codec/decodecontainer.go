package codec

import (
	"encoding"
	"reflect"
	"strconv"
	"unsafe"
)

// array decodes an array into a value that is not a slice, or whose elements are bytes.
func (d *decoder) array(p *plan, v unsafe.Pointer) error {
	switch p.op {
	case opSlice, opBytes:
		return d.list(p, v)
	case opArray:
	case opAny:
		list, err := d.anyArray()
		*(*any)(v) = list
		return err
	default:
		return p.wrong("array")
	}
	n, most := 0, p.t.Len()
	d.pos++ // the bracket
	if d.blank(); at(d.data, d.pos) == ']' {
		d.pos++
	} else {
		for more := true; more; n++ {
			var err error
			if n < most {
				err = d.value(p.elem, unsafe.Add(v, uintptr(n)*p.elem.size))
			} else {
				err = d.skip()
			}
			if err != nil {
				return within(err, "["+strconv.Itoa(n)+"]")
			}
			if more, err = d.next(']'); err != nil {
				return err
			}
		}
	}
	for value := p.value(v); n < most; n++ {
		value.Index(n).SetZero()
	}
	return nil
}

// list decodes an array into a slice.
func (d *decoder) list(p *plan, v unsafe.Pointer) error {
	h, elem, data := (*slice)(v), p.elem, d.data
	i := d.pos + 1
	if at(data, i) <= ' ' {
		i = pastBlanks(data, i)
	}
	if at(data, i) == ']' {
		d.pos = i + 1
		if h.data == nil {
			h.data = unsafe.Pointer(&d.set.empty)
		}
		h.len = 0
		return nil
	}
	for n := 0; ; n++ {
		if n >= h.cap {
			d.grow(p, h)
		}
		if n >= h.len {
			h.len = n + 1
		}
		to := unsafe.Add(h.data, uintptr(n)*elem.size)
		if elem.how == opString && at(data, i) == '"' {
			if end := stop(data, i+1); at(data, end) == '"' {
				*(*stringHeader)(to) = stringHeader{unsafe.Add(data, i+1), end - i - 1}
				i = end + 1
				goto done
			}
		}
		{
			d.pos = i
			var err error
			if elem.how == opStruct && at(data, i) == '{' {
				err = d.structure(elem, to)
			} else {
				err = d.value(elem, to)
			}
			if err != nil {
				return within(err, "["+strconv.Itoa(n)+"]")
			}
			i = d.pos
		}
	done:
		if at(data, i) <= ' ' {
			i = pastBlanks(data, i)
		}
		switch at(data, i) {
		case ',':
			if i++; at(data, i) <= ' ' {
				i = pastBlanks(data, i)
			}
		case ']':
			d.pos, h.len = i+1, n+1
			return nil
		default:
			return errSyntax
		}
	}
}

// grow makes a list's capacity larger.
func (d *decoder) grow(p *plan, h *slice) {
	switch {
	case h.cap == 0:
		h.data, h.cap = d.take(p.elem, 1), 1
	case d.extend(p.elem, h):
	default:
		size := h.cap + 1 // the next ones extend it
		if !d.slabs {
			size = max(2*h.cap, 4)
		}
		grown := slice{d.take(p.elem, size), h.len, size}
		reflect.Copy(p.value(unsafe.Pointer(&grown)), p.value(unsafe.Pointer(h)))
		*h = grown
	}
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
		if at(d.data, d.pos) == '"' {
			s, err := d.string()
			if err != nil {
				return err
			}
			m[key] = s
		} else {
			var s string // stays empty for null
			if err := d.value(p.elem, unsafe.Pointer(&s)); err != nil {
				return within(err, "["+strconv.Quote(key)+"]")
			}
			m[key] = s
		}
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
	value, key := d.new(p.elem), reflect.New(p.key)
	elem := p.elem.value(value)
	for more, first := true, true; more; first = false {
		name, end, err := d.key(first)
		if end || err != nil {
			return err
		}
		elem.SetZero()
		if err := d.value(p.elem, value); err != nil {
			return within(err, "["+strconv.Quote(name)+"]")
		}
		key.Elem().SetZero()
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
		m.SetMapIndex(key.Elem(), elem)
		if more, err = d.next('}'); err != nil {
			return err
		}
	}
	return nil
}
