package codec

import (
	"encoding"
	"fmt"
	"unsafe"
)

// byMethod decodes by a method of the type; done is false if the type is to be decoded as others.
func (d *decoder) byMethod(p *plan, m methods, v unsafe.Pointer) (done bool, err error) {
	if m == methodsJSON {
		start := d.pos
		if err := d.skip(); err != nil {
			return true, err
		}
		return true, p.pointer(v).(unmarshaler).UnmarshalJSON([]byte(d.text[start:d.pos]))
	}
	kind := "number"
	switch d.text[d.pos] {
	case 'n':
		return false, nil
	case 't', 'f':
		kind = "bool"
	case '{':
		kind = "object"
	case '[':
		kind = "array"
	case '"':
		s, err := d.string()
		if err != nil {
			return true, err
		}
		return true, p.pointer(v).(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
	}
	return true, p.wrong(kind)
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
