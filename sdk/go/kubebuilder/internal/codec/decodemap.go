package codec

import (
	"encoding"
	"reflect"
	"strconv"
	"unsafe"
)

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
