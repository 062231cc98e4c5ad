package codec

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"unsafe"
)

func (e *encoder) textMap(dst []byte, m map[string]string) []byte {
	if m == nil {
		return append(dst, "null"...)
	}
	if len(m) == 1 {
		for key, value := range m {
			dst = append(appendString(append(dst, '{'), key), ':')
			dst = append(appendString(dst, value), '}')
		}
		return dst
	}
	var room [16]string
	keys := room[:0]
	for key := range m {
		keys = append(keys, key)
	}
	keys = sortKeys(keys)
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, key), ':')
		dst = appendString(dst, m[key])
	}
	return append(dst, '}')
}

// entry is one of a map: its key, and where its JSON is.
type entry struct {
	key        string
	start, end int
}

// mapping appends a map. Its entries are written in the order in which they come, and then put into
// the order of the keys.
func (e *encoder) mapping(dst []byte, p *plan, v unsafe.Pointer) ([]byte, error) {
	m := p.value(v)
	switch {
	case m.IsNil():
		return append(dst, "null"...), nil
	case !p.plainKey() && !p.key.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return dst, fmt.Errorf("json: unsupported type: %s", p.t)
	}
	begin := len(dst)
	dst = append(dst, '{')
	if m.Len() == 0 {
		return append(dst, '}'), nil
	}
	var room [8]entry
	entries := room[:0]
	value := reflect.New(p.elem.t)
	it := m.MapRange()
	for it.Next() {
		key, err := keyText(it.Key())
		if err != nil {
			return dst, err
		}
		start := len(dst)
		value.Elem().SetIterValue(it)
		dst = append(appendString(dst, key), ':')
		if e.plainly != nil {
			dst, err = e.plainly(e, dst, p.elem, value.UnsafePointer(), false)
		} else {
			dst, err = e.append(dst, p.elem, value.UnsafePointer(), false)
		}
		if err != nil {
			return dst, err
		}
		dst = append(dst, ',')
		entries = append(entries, entry{key, start, len(dst)})
	}
	if len(entries) > 1 {
		mixed := append([]byte(nil), dst[begin+1:]...)
		dst = dst[:begin+1]
		for _, n := range sorted(len(entries), func(a, b int) bool { return entries[a].key < entries[b].key }) {
			dst = append(dst, mixed[entries[n].start-begin-1:entries[n].end-begin-1]...)
		}
	}
	dst[len(dst)-1] = '}' // the last comma
	return dst, nil
}

func keyText(key reflect.Value) (string, error) {
	if key.Kind() == reflect.String {
		return key.String(), nil
	}
	if m, ok := key.Interface().(encoding.TextMarshaler); ok {
		if key.Kind() == reflect.Pointer && key.IsNil() {
			return "", nil
		}
		text, err := m.MarshalText()
		return string(text), err
	}
	if key.CanInt() {
		return strconv.FormatInt(key.Int(), 10), nil
	}
	return strconv.FormatUint(key.Uint(), 10), nil
}
