package codec

import (
	"encoding"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"unsafe"
)

// maxDepth is the nesting that encoding/json decodes. Values that are nested more deeply, such as a
// cycle of pointers, fail.
const maxDepth = 10000

var errTooDeep = errors.New("the value is nested more than 10000 levels deep")

// Append appends the JSON of the value that v points to.
func (c *Codec) Append(dst []byte, v unsafe.Pointer) ([]byte, error) {
	e := encoder{set: c.set}
	return e.append(dst, c.plan, v, true)
}

// AppendMembers appends the members of the struct that v points to, each with a comma before it,
// without apiVersion, kind and metadata. It is for codecs that have Members.
func (c *Codec) AppendMembers(dst []byte, v unsafe.Pointer) (out []byte, err error) {
	e := encoder{set: c.set, content: true}
	return e.members(dst, c.plan, v, true)
}

// AppendMember appends the value at a path of names of the struct that v points to; ok is false if
// there is none.
func (c *Codec) AppendMember(dst []byte, v unsafe.Pointer, path ...string) (out []byte, ok bool, err error) {
	p := c.plan
	var f *field
	for _, name := range path {
		for p.op == opPointer {
			if v = *(*unsafe.Pointer)(v); v == nil {
				return dst, false, nil
			}
			p = p.elem
		}
		if p.op != opStruct || p.pointerEncode != methodsNone {
			return dst, false, nil
		}
		if f = p.lookUp(name); f == nil || f.name != name {
			return dst, false, nil
		}
		if v = f.at(v); v == nil || f.empty(v) || f.omitZero && f.zero(v, true) {
			return dst, false, nil
		}
		p = f.plan
	}
	e := encoder{set: c.set}
	if f != nil && f.text {
		dst, err = e.text(dst, p, v, true)
	} else {
		dst, err = e.append(dst, p, v, true)
	}
	return dst, err == nil, err
}

// Members says whether the codec's type is a struct that is encoded field by field.
func (c *Codec) Members() bool {
	return c.plan.op == opStruct && c.plan.pointerEncode == methodsNone
}

type encoder struct {
	set     *Set
	depth   int
	content bool // of the object, without its envelope; members resets it

	// For MarshalUnstructured. A module whose conversions do not call it does not contain plainly,
	// as mapping names it by way of this field only.
	plainly  func(e *encoder, dst []byte, p *plan, v unsafe.Pointer, addressable bool) ([]byte, error)
	omitZero bool
}

// append appends the JSON of the value at v. Methods of a pointer are called if the value is
// addressable for encoding/json.
func (e *encoder) append(dst []byte, p *plan, v unsafe.Pointer, addressable bool) ([]byte, error) {
	how := p.encodeAs
	if !addressable {
		how = p.encodeValueAs
	}
	switch how {
	case opMethod:
		if addressable {
			return e.byMethod(dst, p.pointerEncode, p.pointer(v))
		}
		return e.byMethod(dst, p.valueEncode, p.value(v).Interface())
	case opString:
		return appendString(dst, *(*string)(v)), nil
	case opBool:
		return appendBool(dst, *(*bool)(v)), nil
	case opInt:
		return strconv.AppendInt(dst, p.int(v), 10), nil
	case opUint:
		return strconv.AppendUint(dst, p.uint(v), 10), nil
	case opFloat:
		return p.appendFloat(dst, v)
	case opNumber:
		return appendNumber(dst, *(*string)(v))
	case opTextMap:
		return e.textMap(dst, *(*map[string]string)(v)), nil
	case opBytes:
		b := *(*[]byte)(v)
		if b == nil {
			return append(dst, "null"...), nil
		}
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"'), nil
	case opUnsupported:
		return dst, fmt.Errorf("json: unsupported type: %s", p.t)
	case opTime, opMicroTime, opDuration, opIntOrString, opRawExtension, opFieldsV1:
		return e.known(dst, p, v)
	case opFallback:
		return e.byFallback(dst, p, v, addressable)
	}
	if e.depth++; e.depth > maxDepth {
		return dst, errTooDeep
	}
	dst, err := e.container(dst, p, v, addressable)
	e.depth--
	return dst, err
}

// container appends a value that contains other values.
func (e *encoder) container(dst []byte, p *plan, v unsafe.Pointer, addressable bool) ([]byte, error) {
	switch p.op {
	case opStruct:
		return e.object(dst, p, v, addressable)
	case opPointer:
		to := *(*unsafe.Pointer)(v)
		if to == nil {
			return append(dst, "null"...), nil
		}
		return e.append(dst, p.elem, to, true)
	case opSlice:
		h := (*slice)(v)
		if h.data == nil {
			return append(dst, "null"...), nil
		}
		return e.list(dst, p.elem, h.data, h.len, true)
	case opArray:
		return e.list(dst, p.elem, v, p.t.Len(), addressable)
	case opMap:
		return e.mapping(dst, p, v)
	case opAny:
		return e.any(dst, *(*any)(v))
	default: // opInterface
		inner := p.value(v).Elem()
		if !inner.IsValid() {
			return append(dst, "null"...), nil
		}
		return e.dynamic(dst, inner)
	}
}

// slice is the memory of a slice.
type slice struct {
	data     unsafe.Pointer
	len, cap int
}

func appendBool(dst []byte, is bool) []byte {
	if is {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

func (e *encoder) list(dst []byte, p *plan, v unsafe.Pointer, n int, addressable bool) (_ []byte, err error) {
	how := p.encodeAs
	if !addressable {
		how = p.encodeValueAs
	}
	begin := len(dst)
	for i := range n {
		dst = append(dst, ',')
		switch at := unsafe.Add(v, uintptr(i)*p.size); how {
		case opString:
			dst = appendString(dst, *(*string)(at))
		case opStruct:
			if e.depth++; e.depth > maxDepth {
				return dst, errTooDeep
			}
			start := len(dst)
			dst, err = e.members(dst, p, at, addressable)
			dst = closeObject(dst, start)
			e.depth--
		default:
			dst, err = e.append(dst, p, at, addressable)
		}
		if err != nil {
			return dst, err
		}
	}
	if n == 0 {
		return append(dst, '[', ']'), nil
	}
	dst[begin] = '[' // where the first comma is
	return append(dst, ']'), nil
}

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
