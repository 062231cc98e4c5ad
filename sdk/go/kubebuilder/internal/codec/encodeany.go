package codec

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"unsafe"
)

// any appends the value in an interface.
func (e *encoder) any(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return appendString(dst, v), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case float64:
		return (&plan{bits: 64}).appendFloat(dst, unsafe.Pointer(&v))
	case map[string]string:
		return e.textMap(dst, v), nil
	case map[string]any:
		return e.anyMap(dst, v)
	case []any:
		if v == nil {
			return append(dst, "null"...), nil
		}
		return e.list(dst, &e.set.any, unsafe.Pointer(unsafe.SliceData(v)), len(v), false)
	}
	return e.dynamic(dst, reflect.ValueOf(v))
}

// anyMap is textMap for values of any type.
func (e *encoder) anyMap(dst []byte, m map[string]any) (_ []byte, err error) {
	if m == nil {
		return append(dst, "null"...), nil
	}
	if e.depth++; e.depth > maxDepth {
		return dst, errTooDeep
	}
	var room [16]string
	keys := room[:0]
	for key := range m {
		keys = append(keys, key)
	}
	start := len(dst)
	for _, key := range sortKeys(keys) {
		dst = append(appendString(append(dst, ','), key), ':')
		if dst, err = e.any(dst, m[key]); err != nil {
			return dst, err
		}
	}
	e.depth--
	return closeObject(dst, start), nil
}

// dynamic appends a value whose type only its interface knows.
func (e *encoder) dynamic(dst []byte, v reflect.Value) ([]byte, error) {
	at := reflect.New(v.Type())
	at.Elem().Set(v)
	return e.append(dst, e.set.planOf(v.Type()), at.UnsafePointer(), false)
}

// byMethod appends the result of a value's own method.
func (e *encoder) byMethod(dst []byte, m methods, v any) ([]byte, error) {
	if m == methodsText {
		text, err := v.(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return dst, fmt.Errorf("json: error calling MarshalText for type %T: %w", v, err)
		}
		return appendString(dst, string(text)), nil
	}
	text, err := v.(marshaler).MarshalJSON()
	if err == nil {
		dst, err = appendCompact(dst, text)
	}
	if err != nil {
		return dst, fmt.Errorf("json: error calling MarshalJSON for type %T: %w", v, err)
	}
	return dst, nil
}

func (e *encoder) byFallback(dst []byte, p *plan, v unsafe.Pointer, addressable bool) ([]byte, error) {
	if e.set.fallback.Marshal == nil {
		return dst, fmt.Errorf("the type %s needs encoding/json, which this module does not have", p.t)
	}
	value := p.value(v).Interface()
	if addressable {
		value = p.pointer(v)
	}
	text, err := e.set.fallback.Marshal(value)
	return append(dst, text...), err
}
