package codec

import (
	"errors"
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Libraries of operators encode objects by way of apimachinery's
// runtime.DefaultUnstructuredConverter, which makes maps of structs by reflection, and of
// encoding/json, which writes the maps in the order of their keys. MarshalUnstructured writes the
// same text without the maps. It does so for types on which all releases of apimachinery since 0.30
// agree, and leaves the others to the library.

// errNotPlain says that a value is left to the library.
var errNotPlain = errors.New("the value is not plain")

// Unstructured says how a library makes objects of maps.
type Unstructured struct {
	OmitZero bool     // it knows the option omitzero, as releases from 0.34 on, and inlines embedded structs without a tag
	Without  []string // the members that are left out of the object
}

// MarshalUnstructured returns the JSON of the maps that ToUnstructured makes of the struct that v
// points to; ok is false if that is left to the library.
func (s *Set) MarshalUnstructured(v any, u Unstructured) (text []byte, ok bool) {
	if v == nil {
		return nil, false
	}
	p := s.planOfValue(v)
	at := (*empty)(unsafe.Pointer(&v)).data
	if p.op != opPointer || at == nil || p.elem.wayOf() != wayStruct {
		return nil, false
	}
	room, reserved := s.reserve(int(atomic.LoadInt32(&p.length)))
	e := encoder{set: s, plainly: appendPlainly, omitZero: u.OmitZero}
	dst, err := e.sortedMembers(room, p.elem, at, true, u.Without)
	dst = closeObject(dst, 0)
	if reserved {
		s.texts.giveBack(room, dst)
	}
	if err != nil {
		return nil, false
	}
	atomic.StoreInt32(&p.length, int32(min(len(dst), 1<<16)))
	return dst[:len(dst):len(dst)], true
}

// way is how a type is encoded plainly.
type way int32

const (
	wayUnknown way = iota
	wayLibrary     // by the library
	wayAsJSON      // as encoding/json does it
	wayFloat       // as a number of 64 bits
	wayMethod      // by MarshalJSON, then decoded and encoded again
	wayPointer
	waySlice
	wayMap
	wayStruct
)

// wayOf returns how values of the type are encoded plainly.
func (p *plan) wayOf() way {
	if w := way(atomic.LoadInt32(&p.plainWay)); w != wayUnknown {
		return w
	}
	w := p.findWay()
	atomic.StoreInt32(&p.plainWay, int32(w))
	return w
}

func (p *plan) findWay() way {
	converter := reflect.TypeFor[interface{ ToUnstructured() any }]()
	switch {
	case p.op == opTime, p.op == opMicroTime, p.op == opDuration, p.op == opIntOrString:
		return wayAsJSON
	case p.op == opRawExtension, p.op == opFieldsV1:
		return wayMethod
	case p.t.Kind() == reflect.Pointer:
		return wayPointer
	case reflect.PointerTo(p.t).Implements(converter):
		if p.t.PkgPath() == "k8s.io/apimachinery/pkg/api/resource" && p.t.Name() == "Quantity" {
			return wayAsJSON
		}
		return wayLibrary
	case p.pointerEncode == methodsJSON:
		return wayMethod
	case p.pointerEncode != methodsNone:
		return wayLibrary // which does not know MarshalText
	}
	switch p.op {
	case opBool, opInt, opString, opTextMap, opBytes:
		return wayAsJSON
	case opUint:
		if p.bits < 64 {
			return wayAsJSON
		}
	case opFloat:
		return wayFloat
	case opSlice:
		if p.t.Elem().Kind() != reflect.Uint8 {
			return waySlice
		}
	case opMap:
		if p.key.Kind() == reflect.String {
			return wayMap
		}
	case opStruct:
		return wayStruct
	}
	return wayLibrary
}

// appendPlainly is append for the text of MarshalUnstructured.
func appendPlainly(e *encoder, dst []byte, p *plan, v unsafe.Pointer, addressable bool) (_ []byte, err error) {
	if e.depth++; e.depth > maxDepth {
		return dst, errTooDeep
	}
	defer func() { e.depth-- }()
	switch p.wayOf() {
	case wayAsJSON:
		return e.append(dst, p, v, addressable)
	case wayFloat:
		f := p.float(v)
		return (&plan{bits: 64}).appendFloat(dst, unsafe.Pointer(&f))
	case wayMethod:
		return e.decoded(dst, p, v, addressable)
	case wayPointer:
		if v = *(*unsafe.Pointer)(v); v == nil {
			return append(dst, "null"...), nil
		}
		return appendPlainly(e, dst, p.elem, v, true)
	case waySlice:
		h := (*slice)(v)
		if h.data == nil {
			return append(dst, "null"...), nil
		}
		dst = append(dst, '[')
		for i := range h.len {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendPlainly(e, dst, p.elem, unsafe.Add(h.data, uintptr(i)*p.elem.size), true); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case wayMap:
		return e.mapping(dst, p, v)
	case wayStruct:
		start := len(dst)
		dst, err = e.sortedMembers(dst, p, v, addressable, nil)
		return closeObject(dst, start), err
	}
	return dst, errNotPlain
}

// decoded appends the result of a value's MarshalJSON as decoding and encoding leave it.
func (e *encoder) decoded(dst []byte, p *plan, v unsafe.Pointer, addressable bool) ([]byte, error) {
	if !addressable && p.valueEncode != methodsJSON && p.pointerEncode == methodsJSON {
		return dst, errNotPlain // an error of the library
	}
	start := len(dst)
	dst, err := e.append(dst, p, v, addressable)
	if err != nil {
		return dst, errNotPlain
	}
	var value any
	if err := e.set.Unmarshal(dst[start:], &value, Matching{Integers: true}); err != nil {
		return dst, errNotPlain
	}
	return e.any(dst[:start], value)
}

// sortedMembers is members in the order of the names.
func (e *encoder) sortedMembers(dst []byte, p *plan, v unsafe.Pointer, addressable bool, without []string) (_ []byte, err error) {
	list := e.set.sortedFields(p, e.omitZero)
	if list == nil {
		return dst, errNotPlain
	}
	for i := range list.fields {
		f := &list.fields[i]
		at := unsafe.Add(v, f.offset)
		if slices.Contains(without, f.name) {
			continue
		}
		if f.omitEmpty == emptyFloat && f.plan.float(at) == 0 || f.omitEmpty != neverEmpty && f.empty(at) {
			continue
		}
		if e.omitZero && f.omitZero && f.zero(at, addressable) {
			continue
		}
		dst = append(dst, f.quoted...)
		if dst, err = appendPlainly(e, dst, f.plan, at, addressable); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// sortedList is the fields of a struct and of those inlined in it, in the order of their names.
type sortedList struct {
	fields   []field
	omitZero bool // as of Unstructured
}

// sortedFields returns the fields of a struct; nil if they are left to the library.
func (s *Set) sortedFields(p *plan, omitZero bool) *sortedList {
	slot := &p.sorted[0]
	if omitZero {
		slot = &p.sorted[1]
	}
	if list := (*sortedList)(atomic.LoadPointer(slot)); list != nil {
		if list.fields == nil {
			return nil
		}
		return list
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := &sortedList{fields: []field{}, omitZero: omitZero}
	if !s.inline(list, p.t, 0) {
		list.fields = nil
	} else {
		found := list.fields
		list.fields = make([]field, 0, len(found))
		for _, n := range sorted(len(found), func(a, b int) bool { return found[a].name < found[b].name }) {
			if last := len(list.fields) - 1; last >= 0 && list.fields[last].name == found[n].name {
				list.fields = nil // the later one of the struct counts
				break
			}
			list.fields = append(list.fields, found[n])
		}
	}
	atomic.StorePointer(slot, unsafe.Pointer(list))
	if list.fields == nil {
		return nil
	}
	return list
}

// inline adds the fields of t, which is at an offset in a struct; ok is false if one is left to the
// library.
func (s *Set) inline(list *sortedList, t reflect.Type, offset uintptr) (ok bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options := parseTag(tag)
		switch {
		case tag == "-":
			continue
		case !f.IsExported() || name == "-" || name != "" && !isValidTag(name) || options.has("string"):
			return false
		case name == "":
			if inner := s.build(f.Type); !f.Anonymous || tag == "" && !list.omitZero || inner.findWay() != wayStruct || !s.inline(list, f.Type, offset+f.Offset) {
				return false
			}
			continue
		}
		member := field{name: name, offset: offset + f.Offset, plan: s.build(f.Type), omitZero: options.has("omitzero")}
		if options.has("omitempty") {
			member.omitEmpty = emptinessOf(f.Type)
		}
		if member.omitZero {
			member.isZero = zeroMethodOf(f.Type)
		}
		member.quoted = string(append(appendString([]byte{','}, name), ':'))
		list.fields = append(list.fields, member)
	}
	return true
}
