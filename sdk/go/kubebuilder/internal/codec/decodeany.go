package codec

import "unsafe"

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
