package codec

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// op says how a value is encoded and decoded.
type op uint8

const (
	opUnsupported op = iota // channels, functions, complex numbers
	opBool
	opInt
	opUint
	opFloat
	opString
	opNumber // encoding/json.Number
	opAny    // an interface without methods
	opInterface
	opPointer
	opSlice
	opBytes
	opArray
	opMap
	opTextMap // map[string]string, or a type with the same memory
	opStruct
	opFallback

	// Types of k8s.io/apimachinery, whose methods would bring encoding/json into the module.
	opTime
	opMicroTime
	opDuration
	opIntOrString
	opRawExtension
	opFieldsV1

	opSkip   // not decoded, see OfMetadata
	opMethod // by a method of the type: of plan.how, encodeAs and encodeValueAs only
)

// plan is the table for one Go type.
type plan struct {
	op   op
	t    reflect.Type
	size uintptr
	bits int // of a number
	elem *plan
	key  reflect.Type // of a map

	// Methods of the type: on a pointer to it, which an addressable value has, and on the value.
	pointerEncode, valueEncode, decode methods
	// pointerDecode is decode of a type without a name, whose inherited methods count behind
	// pointers only.
	pointerDecode      methods
	keyDecode, keyJSON bool // *key is an encoding.TextUnmarshaler; it has UnmarshalJSON

	// how is op, or opMethod if the type decodes itself; encodeAs and encodeValueAs are the same
	// for encoding an addressable value and one that is not.
	how, encodeAs, encodeValueAs op
	pointerType                  unsafe.Pointer // of a pointer to the type, as an interface holds it

	fields   []field
	slots    unsafe.Pointer // the table of fields: mask+1 slots
	mask     int
	slab     *slab
	plainWay int32             // atomic: a way
	sorted   [2]unsafe.Pointer // atomic: a *sortedList without the option omitzero, and one with it
	length   int32             // atomic: of the JSON of the last value that was marshaled
}

const (
	methodsNone methods = iota
	methodsJSON
	methodsText
)

// marshaler and unmarshaler are encoding/json's interfaces, declared here so that the package does
// not import it.
type (
	marshaler   interface{ MarshalJSON() ([]byte, error) }
	unmarshaler interface{ UnmarshalJSON([]byte) error }
	zeroer      interface{ IsZero() bool }
)

// Fallback encodes and decodes types that the tables do not cover. Its functions are
// encoding/json's.
type Fallback struct {
	Marshal   func(v any) ([]byte, error)
	Unmarshal func(data []byte, v any) error
}

// Set is a set of codecs that share their tables. Several goroutines may use it.
type Set struct {
	fallback Fallback
	any      plan
	decoding atomic.Bool // one decoder uses the slabs
	empty    struct{}    // the target of a slice without elements
	mu       sync.Mutex  // guards plans and left
	plans    map[reflect.Type]*plan
	left     []string
	texts    chunk // of the decoder that uses the slabs
	recent   recent
}

// NewSet returns an empty set.
func NewSet(fallback Fallback) *Set {
	return &Set{fallback: fallback, any: plan{op: opAny, how: opAny, encodeAs: opAny, encodeValueAs: opAny, size: unsafe.Sizeof(empty{}), t: reflect.TypeFor[any](), pointerType: pointerTypeOf(reflect.TypeFor[any]())}, plans: map[reflect.Type]*plan{}}
}

// Left names the types that are left to the fallback, each with the reason.
func (s *Set) Left() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.left...)
}

// Codec encodes and decodes the values of one type. Several goroutines may use it.
type Codec struct {
	set  *Set
	plan *plan
	as   Matching // for decoding
}

// Matching returns the codec with rules for decoding.
func (c *Codec) Matching(m Matching) *Codec { return &Codec{set: c.set, plan: c.plan, as: m} }

// Codec returns the codec for t.
func (s *Set) Codec(t reflect.Type) *Codec {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.build(t)
	p.needSlab()
	return &Codec{set: s, plan: p}
}

func (s *Set) planOf(t reflect.Type) *plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.build(t)
}

// build returns the plan of t. The lock is held.
func (s *Set) build(t reflect.Type) *plan {
	if p := s.plans[t]; p != nil {
		return p
	}
	p := &plan{t: t, size: t.Size(), pointerType: pointerTypeOf(t)}
	s.plans[t] = p // before its parts, for a type may contain itself
	defer p.choose()
	if p.op = known(t); p.op != opUnsupported {
		return p
	}
	p.findMethods()
	if why := p.beyond(); why != "" {
		p.op = opFallback
		s.left = append(s.left, t.String()+": "+why)
		return p
	}
	switch t.Kind() {
	case reflect.Bool:
		p.op = opBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.op, p.bits = opInt, t.Bits()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		p.op, p.bits = opUint, t.Bits()
	case reflect.Float32, reflect.Float64:
		p.op, p.bits = opFloat, t.Bits()
	case reflect.String:
		p.op = opString
		if t.PkgPath() == "encoding/json" && t.Name() == "Number" {
			p.op = opNumber
		}
	case reflect.Interface:
		p.op = opInterface
		if t.NumMethod() == 0 {
			p.op = opAny
		}
	case reflect.Pointer:
		p.op, p.elem = opPointer, s.build(t.Elem())
		p.elem.needSlab()
	case reflect.Slice:
		p.op, p.elem = opSlice, s.build(t.Elem())
		p.elem.needSlab()
		if t.Elem().Kind() == reflect.Uint8 && p.elem.pointerEncode == methodsNone {
			p.op = opBytes
		}
	case reflect.Array:
		p.op, p.elem = opArray, s.build(t.Elem())
	case reflect.Map:
		s.buildMap(p)
	case reflect.Struct:
		p.op = opStruct
		s.buildFields(p)
	}
	return p
}

// choose sets the ways in which values are encoded and decoded.
func (p *plan) choose() {
	p.how, p.encodeAs, p.encodeValueAs = p.op, p.op, p.op
	if p.decode != methodsNone {
		p.how = opMethod
	}
	if p.pointerEncode != methodsNone {
		p.encodeAs = opMethod
	}
	if p.valueEncode != methodsNone {
		p.encodeValueAs = opMethod
	}
}

func (s *Set) buildMap(p *plan) {
	p.op, p.key, p.elem = opMap, p.t.Key(), s.build(p.t.Elem())
	p.elem.needSlab()
	key := reflect.PointerTo(p.key)
	p.keyDecode = key.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	p.keyJSON = key.Implements(reflect.TypeFor[unmarshaler]())
	plain := p.elem.pointerEncode == methodsNone && p.elem.decode == methodsNone
	if p.key.Kind() == reflect.String && !p.keyDecode && p.elem.op == opString && plain {
		p.op = opTextMap
	}
}

// plainKey says whether the keys of a map are text or whole numbers.
func (p *plan) plainKey() bool {
	switch p.key.Kind() {
	case reflect.Bool, reflect.Float32, reflect.Float64:
		return false
	}
	return textual(p.key)
}

// empty is the memory of an interface without methods.
type empty struct{ of, data unsafe.Pointer }

func pointerTypeOf(t reflect.Type) unsafe.Pointer {
	pointer := reflect.Zero(reflect.PointerTo(t)).Interface()
	return (*empty)(unsafe.Pointer(&pointer)).of
}

// pointer returns a pointer to the value at p as an interface. reflect.NewAt would search for the
// pointer's type.
func (p *plan) pointer(at unsafe.Pointer) (v any) {
	*(*empty)(unsafe.Pointer(&v)) = empty{p.pointerType, at}
	return v
}

// value returns the value at p as a settable reflect.Value.
func (p *plan) value(at unsafe.Pointer) reflect.Value { return reflect.ValueOf(p.pointer(at)).Elem() }

// TypeError says that a JSON value does not fit the Go type of its place.
type TypeError struct {
	Field string // the path to the value, such as ".spec.ports[0].number"
	Value string // the JSON value's type, or a number
	Type  reflect.Type
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("%s must be a Go %s, but is a JSON %s", cmp.Or(e.Field, "the value"), e.Type, e.Value)
}

var adopted = NewSet(Fallback{})

// Adopted returns the set of a module that crosswalk adopt makes. Its types need no fallback. The
// module's versions and the values that conversions decode and encode share their tables.
func Adopted() *Set { return adopted }

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

// sorted returns the numbers below n in an order, by merging. The package slices would compile its
// algorithms for each type, a hundredth of a module; a stable sort by numbers does for all.
func sorted(n int, less func(a, b int) bool) []int {
	order, other := make([]int, n), make([]int, n)
	for i := range order {
		order[i] = i
	}
	for width := 1; width < n; width *= 2 {
		for low := 0; low < n; low += 2 * width {
			middle, high := min(low+width, n), min(low+2*width, n)
			a, b := low, middle
			for i := low; i < high; i++ {
				if a < middle && (b == high || !less(order[b], order[a])) {
					other[i] = order[a]
					a++
				} else {
					other[i] = order[b]
					b++
				}
			}
		}
		order, other = other, order
	}
	return order
}

// sortKeys sorts the keys of a small map; most have a few, in which the simplest way is the
// fastest.
func sortKeys(keys []string) []string {
	if len(keys) > 16 {
		order := sorted(len(keys), func(a, b int) bool { return keys[a] < keys[b] })
		all := make([]string, len(keys))
		for i, n := range order {
			all[i] = keys[n]
		}
		return all
	}
	for i := 1; i < len(keys); i++ {
		key, at := keys[i], i
		for ; at > 0 && key < keys[at-1]; at-- {
			keys[at] = keys[at-1]
		}
		keys[at] = key
	}
	return keys
}
