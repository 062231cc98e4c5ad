package codec

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unsafe"
)

func (e *encoder) object(dst []byte, p *plan, v unsafe.Pointer, addressable bool) ([]byte, error) {
	start := len(dst)
	dst, err := e.members(dst, p, v, addressable)
	return closeObject(dst, start), err
}

// closeObject makes an object of the members in dst[start:], each of which has a comma before it.
func closeObject(dst []byte, start int) []byte {
	if len(dst) == start {
		return append(dst, '{', '}')
	}
	dst[start] = '{'
	return append(dst, '}')
}

// members appends the members of a struct, each with a comma before it. Like the decoder's
// structure, it writes out the usual cases.
func (e *encoder) members(dst []byte, p *plan, v unsafe.Pointer, addressable bool) ([]byte, error) {
	content := e.content
	e.content = false
	for i := range p.fields {
		f := &p.fields[i]
		if f.word != noWord && *(*uintptr)(unsafe.Add(v, f.word)) == 0 {
			continue
		}
		at, addressable := unsafe.Add(v, f.offset), addressable
		if f.hops != nil {
			if at = f.at(v); at == nil {
				continue
			}
			addressable = true
		}
		if content && f.envelope || f.omitEmpty != neverEmpty && !f.omitted && f.empty(at) {
			continue
		}
		if f.omitZero && f.zero(at, addressable) {
			continue
		}

		// The comma, the name and the colon: in whole words, as a copy of a few bytes costs more
		// than these.
		n := len(f.quoted)
		if cap(dst)-len(dst) < n+8 {
			dst = slices.Grow(dst, n+8)
		}
		to := unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), len(dst))
		for i := 0; i < n; i += 8 {
			*(*uint64)(unsafe.Add(to, i)) = load(f.padded, i)
		}
		dst = dst[:len(dst)+n]

		var err error
		p := f.plan
		if f.text {
			if dst, err = e.text(dst, p, at, addressable); err != nil {
				return dst, err
			}
			continue
		}
		if p.op == opPointer {
			if to := *(*unsafe.Pointer)(at); to != nil {
				p, at, addressable = p.elem, to, true
			}
		}
		how := p.encodeAs
		if !addressable {
			how = p.encodeValueAs
		}
		switch how {
		case opString:
			dst = appendString(dst, *(*string)(at))
		case opBool:
			dst = appendBool(dst, *(*bool)(at))
		case opTextMap:
			dst = e.textMap(dst, *(*map[string]string)(at))
		case opStruct:
			if e.depth++; e.depth > maxDepth {
				return dst, errTooDeep
			}
			start := len(dst)
			dst, err = e.members(dst, p, at, addressable)
			dst = closeObject(dst, start)
			e.depth--
		case opSlice:
			h := (*slice)(at)
			if h.data == nil {
				dst = append(dst, "null"...)
				break
			}
			if e.depth++; e.depth > maxDepth {
				return dst, errTooDeep
			}
			dst, err = e.list(dst, p.elem, h.data, h.len, true)
			e.depth--
		default:
			dst, err = e.append(dst, p, at, addressable)
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// text is append for a field with the option "string".
func (e *encoder) text(dst []byte, p *plan, v unsafe.Pointer, addressable bool) ([]byte, error) {
	if p.op == opPointer {
		if v = *(*unsafe.Pointer)(v); v == nil {
			return append(dst, "null"...), nil
		}
		p, addressable = p.elem, true
	}
	if addressable && p.pointerEncode != methodsNone || !addressable && p.valueEncode != methodsNone {
		return e.append(dst, p, v, addressable)
	}
	inner, err := e.append(nil, p, v, addressable)
	if p.op == opString {
		return appendQuoted(dst, string(inner), false), err
	}
	return append(append(append(dst, '"'), inner...), '"'), err
}

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
