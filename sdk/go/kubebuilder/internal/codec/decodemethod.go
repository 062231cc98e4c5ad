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
