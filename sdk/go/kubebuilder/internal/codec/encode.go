package codec

import (
	"encoding"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// maxDepth is the nesting that encoding/json decodes. Values that are nested more deeply, such as a cycle of pointers, fail.
const maxDepth = 10000

var errTooDeep = errors.New("the value is nested more than 10000 levels deep")

// Append appends the JSON of the value that v points to.
func (c *Codec) Append(dst []byte, v unsafe.Pointer) ([]byte, error) {
	e := encoder{set: c.set}
	return e.append(dst, c.plan, v, true)
}

// AppendMembers appends the members of the struct that v points to, separated by commas, without those named in except. It is
// for codecs that have Members.
func (c *Codec) AppendMembers(dst []byte, v unsafe.Pointer, except ...string) (out []byte, err error) {
	e := encoder{set: c.set}
	return e.members(dst, c.plan, v, true, except)
}

// AppendMember appends the value at a path of names of the struct that v points to; ok is false if there is none.
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
	set   *Set
	depth int
	keys  []string // reused for the keys of one map after the other
}

// append appends the JSON of the value at v. Methods of a pointer are called if the value is addressable for encoding/json.
func (e *encoder) append(dst []byte, p *plan, v unsafe.Pointer, addressable bool) ([]byte, error) {
	switch {
	case addressable && p.pointerEncode != methodsNone:
		return e.byMethod(dst, p.pointerEncode, reflect.NewAt(p.t, v))
	case !addressable && p.valueEncode != methodsNone:
		return e.byMethod(dst, p.valueEncode, p.value(v))
	}
	switch p.op {
	case opString:
		return appendString(dst, *(*string)(v)), nil
	case opBool:
		return strconv.AppendBool(dst, *(*bool)(v)), nil
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
	case opOpaque:
		if raw := *(*string)(v); raw != "" {
			return append(dst, raw...), nil
		}
		return append(dst, p.zero...), nil
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

func (e *encoder) object(dst []byte, p *plan, v unsafe.Pointer, addressable bool) ([]byte, error) {
	dst, err := e.members(append(dst, '{'), p, v, addressable, nil)
	return append(dst, '}'), err
}

func (e *encoder) members(dst []byte, p *plan, v unsafe.Pointer, addressable bool, except []string) ([]byte, error) {
	first := true
	for i := range p.fields {
		f := &p.fields[i]
		at := f.at(v)
		if at == nil || f.empty(at) || f.omitZero && f.zero(at, addressable) || except != nil && slices.Contains(except, f.name) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, f.quoted...)
		var err error
		if f.text {
			dst, err = e.text(dst, f.plan, at, addressable || len(f.hops) > 0)
		} else {
			dst, err = e.append(dst, f.plan, at, addressable || len(f.hops) > 0)
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

func (e *encoder) list(dst []byte, p *plan, v unsafe.Pointer, n int, addressable bool) (_ []byte, err error) {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = e.append(dst, p, unsafe.Add(v, uintptr(i)*p.size), addressable); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func (e *encoder) textMap(dst []byte, m map[string]string) []byte {
	if m == nil {
		return append(dst, "null"...)
	}
	e.keys = e.keys[:0]
	for key := range m {
		e.keys = append(e.keys, key)
	}
	slices.Sort(e.keys)
	dst = append(dst, '{')
	for i, key := range e.keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, key), ':')
		dst = appendString(dst, m[key])
	}
	return append(dst, '}')
}

// entry is one of a map, its key as text.
type entry struct {
	key   string
	value reflect.Value
}

func (e *encoder) mapping(dst []byte, p *plan, v unsafe.Pointer) ([]byte, error) {
	m := p.value(v)
	switch {
	case m.IsNil():
		return append(dst, "null"...), nil
	case !p.plainKey() && !p.key.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return dst, fmt.Errorf("json: unsupported type: %s", p.t)
	}
	entries := make([]entry, 0, m.Len())
	for it := m.MapRange(); it.Next(); {
		key, err := keyText(it.Key())
		if err != nil {
			return dst, err
		}
		value := reflect.New(p.elem.t)
		value.Elem().Set(it.Value())
		entries = append(entries, entry{key, value})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for i, entry := range entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, entry.key), ':')
		var err error
		if dst, err = e.append(dst, p.elem, entry.value.UnsafePointer(), false); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
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
	case map[string]string:
		return e.textMap(dst, v), nil
	}
	return e.dynamic(dst, reflect.ValueOf(v))
}

// dynamic appends a value whose type only its interface knows.
func (e *encoder) dynamic(dst []byte, v reflect.Value) ([]byte, error) {
	at := reflect.New(v.Type())
	at.Elem().Set(v)
	return e.append(dst, e.set.planOf(v.Type()), at.UnsafePointer(), false)
}

// byMethod appends the result of a value's own method.
func (e *encoder) byMethod(dst []byte, m methods, v reflect.Value) ([]byte, error) {
	if m == methodsText {
		text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return dst, fmt.Errorf("json: error calling MarshalText for type %s: %w", v.Type(), err)
		}
		return appendString(dst, string(text)), nil
	}
	text, err := v.Interface().(marshaler).MarshalJSON()
	if err == nil {
		dst, err = appendCompact(dst, text)
	}
	if err != nil {
		return dst, fmt.Errorf("json: error calling MarshalJSON for type %s: %w", v.Type(), err)
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

func (p *plan) int(v unsafe.Pointer) int64 {
	switch p.bits {
	case 8:
		return int64(*(*int8)(v))
	case 16:
		return int64(*(*int16)(v))
	case 32:
		return int64(*(*int32)(v))
	}
	return *(*int64)(v)
}

func (p *plan) uint(v unsafe.Pointer) uint64 {
	switch p.bits {
	case 8:
		return uint64(*(*uint8)(v))
	case 16:
		return uint64(*(*uint16)(v))
	case 32:
		return uint64(*(*uint32)(v))
	}
	return *(*uint64)(v)
}

func (p *plan) float(v unsafe.Pointer) float64 {
	if p.bits == 32 {
		return float64(*(*float32)(v))
	}
	return *(*float64)(v)
}

// appendFloat writes numbers as ECMAScript does, which encoding/json follows: with an exponent only below 1e-6 and from 1e21.
func (p *plan) appendFloat(dst []byte, v unsafe.Pointer) ([]byte, error) {
	f := p.float(v)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return dst, fmt.Errorf("json: unsupported value: %s", strconv.FormatFloat(f, 'g', -1, p.bits))
	}
	abs, format := math.Abs(f), byte('f')
	if abs != 0 && (p.bits == 64 && (abs < 1e-6 || abs >= 1e21) || p.bits == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21)) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, p.bits)
	if n := len(dst); format == 'e' && n >= 4 && string(dst[n-4:n-1]) == "e-0" {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst, nil
}

func appendNumber(dst []byte, s string) ([]byte, error) {
	if s == "" {
		s = "0"
	}
	if n := numberEnd(s, 0); n != len(s) {
		return dst, fmt.Errorf("json: invalid number literal %q", s)
	}
	return append(dst, s...), nil
}

// zero says whether omitzero leaves the value out.
func (f *field) zero(v unsafe.Pointer, addressable bool) bool {
	value := f.plan.value(v)
	switch f.isZero {
	case zeroByMethod:
		return value.Kind() == reflect.Pointer && value.IsNil() || value.Interface().(zeroer).IsZero()
	case zeroByPointerMethod:
		if !addressable {
			boxed := reflect.New(f.plan.t)
			boxed.Elem().Set(value)
			return boxed.Interface().(zeroer).IsZero()
		}
		return f.plan.pointer(v).(zeroer).IsZero()
	case zeroByInterfaceMethod:
		return value.IsNil() || value.Elem().Kind() == reflect.Pointer && value.Elem().IsNil() || value.Interface().(zeroer).IsZero()
	}
	if f.plan.op == opOpaque {
		raw := *(*string)(v)
		return raw == "" || raw == "{}" || raw == f.plan.zero
	}
	return value.IsZero()
}
