package codec

import (
	"encoding"
	"reflect"
)

// methods says which interface a type implements.
type methods uint8

// findMethods finds out which of encoding/json's interfaces the type implements. A pointer has
// those of the value that it points to, and needs none itself.
func (p *plan) findMethods() {
	if p.t.Kind() == reflect.Pointer {
		return
	}
	implements := func(t, json, text reflect.Type) methods {
		switch {
		case t.Implements(json):
			return methodsJSON
		case t.Implements(text):
			return methodsText
		}
		return methodsNone
	}
	json, text := reflect.TypeFor[marshaler](), reflect.TypeFor[encoding.TextMarshaler]()
	pointer := reflect.PointerTo(p.t)
	p.pointerEncode, p.valueEncode = implements(pointer, json, text), implements(p.t, json, text)
	p.pointerDecode = implements(pointer, reflect.TypeFor[unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]())
	if p.t.Name() != "" {
		p.decode, p.pointerDecode = p.pointerDecode, methodsNone
	}
}

// beyond says why the tables cannot do the type; "" if they can.
func (p *plan) beyond() string {
	switch {
	case p.t.Kind() == reflect.Interface && p.valueEncode != methodsNone:
		return "an interface with a method that encodes"
	case p.t.Kind() == reflect.Struct:
		for i := range p.t.NumField() {
			f := p.t.Field(i)
			if name, _ := parseTag(f.Tag.Get("json")); f.Anonymous && !f.IsExported() && isValidTag(name) {
				return "the embedded field " + f.Name + " is not exported and has a name in JSON"
			}
		}
	}
	return ""
}
