package codec

import (
	"slices"
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
		case opOpaque:
			raw := *(*string)(at)
			if raw == "" {
				raw = p.zero
			}
			dst = append(dst, raw...)
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
