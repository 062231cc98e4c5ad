package codec

import (
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"
)

// Matching says how texts are decoded that differ from encoding/json's rules.
type Matching struct {
	ExactNames bool // names that differ in case do not match
	Integers   bool // a whole number in a value of type any is an int64 if it fits
}

// recent has the plans of types that were marshaled or unmarshaled, by the address of the type: a
// map of types would cost a module more than a small value does.
type recent [64]atomic.Pointer[recentPlan]

type recentPlan struct {
	of   unsafe.Pointer
	plan *plan
}

// planOfValue returns the plan of v's type.
func (s *Set) planOfValue(v any) *plan {
	of := (*empty)(unsafe.Pointer(&v)).of
	slot := &s.recent[uintptr(of)>>4%uintptr(len(s.recent))]
	if k := slot.Load(); k != nil && k.of == of {
		return k.plan
	}
	t := reflect.TypeOf(v)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.build(t)
	if t.Kind() == reflect.Pointer {
		p.elem.needSlab()
	}
	slot.Store(&recentPlan{of, p})
	return p
}

// Marshal returns the JSON of v, as json.Marshal does.
func (s *Set) Marshal(v any) ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	p := s.planOfValue(v)
	e := encoder{set: s}
	var err error
	room, reserved := s.reserve(int(atomic.LoadInt32(&p.length)))
	dst := room
	data := (*empty)(unsafe.Pointer(&v)).data
	switch p.t.Kind() {
	case reflect.Pointer, reflect.Map:
		dst, err = e.append(dst, p, unsafe.Pointer(&data), false)
	case reflect.Struct, reflect.Array, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer: // some are in the interface themselves
		dst, err = e.dynamic(dst, reflect.ValueOf(v))
	default:
		dst, err = e.append(dst, p, data, false)
	}
	if reserved {
		s.texts.giveBack(room, dst)
	}
	if err != nil {
		return nil, err
	}
	atomic.StoreInt32(&p.length, int32(min(len(dst), 1<<16)))
	return dst[:len(dst):len(dst)], nil
}

// reserve returns room for a text that is about as long as the last one. In a module, which has one
// thread, it is a part of the chunk.
func (s *Set) reserve(last int) (dst []byte, reserved bool) {
	n := max(512, 2*last)
	if !isWasm || n > len(s.texts.rest) {
		return make([]byte, 0, last+last/8+64), false
	}
	dst = s.texts.rest[:0:n]
	s.texts.rest = s.texts.rest[n:]
	return dst, true
}

// Unmarshal decodes text into the value that v points to, as json.Unmarshal does, but for an error
// about a value's type: json.Unmarshal then decodes the rest of the text, and Unmarshal does not.
//
// # Errors
//
// A *[TypeError], an error of a method, or that the text is not JSON. Their texts begin with "json: ", and
// are not those of encoding/json, which change with releases of Go.
func (s *Set) Unmarshal(text []byte, v any, m Matching) error {
	var p *plan
	if v != nil {
		p = s.planOfValue(v)
	}
	target := (*empty)(unsafe.Pointer(&v)).data
	if p == nil || p.t.Kind() != reflect.Pointer || target == nil {
		if err := s.Valid(text); err != nil {
			return err
		}
		return invalidTarget(v)
	}
	fresh := p.elem.isZero(target)
	if !fresh {
		if err := s.Valid(text); err != nil { // before the value is changed
			return err
		}
	}
	alone := s.enter()
	d := decoderOf(s, s.copied(text, alone))
	d.slabs, d.exact, d.integers, d.merges = alone, m.ExactNames, m.Integers, !fresh
	d.blank()
	err := d.pointed(p.elem, target)
	if err == nil {
		if d.blank(); d.pos != len(d.text) {
			err = errSyntax
		}
	}
	s.leave(alone)
	if err == nil {
		return nil
	}
	if wrong := s.Valid(text); wrong != nil {
		if fresh {
			p.elem.value(target).SetZero()
		}
		return wrong
	}
	if errors.As(err, new(*TypeError)) {
		err = fmt.Errorf("json: %w", err)
	}
	return err
}

// Valid returns an error if text is not JSON.
func (s *Set) Valid(text []byte) error {
	d := decoderOf(s, padded(text))
	d.blank()
	if d.skip() == nil {
		if d.blank(); d.pos == len(d.text) {
			return nil
		}
	}
	return fmt.Errorf("json: the text is not valid at byte %d of %d", min(d.pos, len(text)), len(text))
}

// invalidTarget is the error for a v that cannot be decoded into.
func invalidTarget(v any) error {
	switch t := reflect.TypeOf(v); {
	case t == nil:
		return errors.New("json: Unmarshal(nil)")
	case t.Kind() != reflect.Pointer:
		return errors.New("json: Unmarshal(non-pointer " + t.String() + ")")
	default:
		return errors.New("json: Unmarshal(nil " + t.String() + ")")
	}
}

// isZero reports whether the memory of a value is all zeros.
func (p *plan) isZero(v unsafe.Pointer) bool {
	n := p.size
	for ; n >= 8; n -= 8 {
		if *(*uint64)(unsafe.Add(v, n-8)) != 0 {
			return false
		}
	}
	for ; n > 0; n-- {
		if *(*byte)(unsafe.Add(v, n-1)) != 0 {
			return false
		}
	}
	return true
}

// into decodes into the target of a pointer that an interface holds, if it holds one; done is false
// if the interface is to have a new value.
func (d *decoder) into(p *plan, v unsafe.Pointer) (done bool, err error) {
	inner := p.value(v).Elem()
	if inner.Kind() != reflect.Pointer || inner.IsNil() || at(d.data, d.pos) == 'n' && inner.Type().Elem().Kind() != reflect.Pointer {
		return false, nil
	}
	return true, d.pointed(d.set.planOf(inner.Type().Elem()), inner.UnsafePointer())
}
