package codec

import (
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// field is a member of a struct's JSON object.
type field struct {
	name   string
	end    uint64         // its last eight bytes, if it has so many
	quoted string         // a comma, the name with its quotes, escaped, and a colon
	padded unsafe.Pointer // quoted, with as many bytes behind it as make whole words
	owner  reflect.Type   // the struct
	outer  []string       // the names of embedded structs between that and the field
	offset uintptr
	hops   []hop // through embedded pointers, before offset
	plan   *plan

	// word is where a word of the struct is that is zero only if omitempty omits the field, and
	// noWord if there is none; omitted says that no other value is omitted.
	word    uintptr
	omitted bool

	indirect bool // through hops, or with the option "string"
	noted    bool // its name is one of Parts
	envelope bool // its name is apiVersion, kind or metadata

	omitEmpty      emptiness
	omitZero, text bool // text is the option "string"
	isZero         zeroMethod
}

// hop is an embedded pointer on the way to a field.
type hop struct {
	offset uintptr
	to     reflect.Type
	locked bool // the pointer's type is not exported: it cannot be set
}

// emptiness says how omitempty finds out whether a field is empty.
type emptiness uint8

const (
	neverEmpty   emptiness = iota
	emptyPointer           // and interfaces, which begin with their type
	emptyString
	emptySlice
	emptyMap
	emptyOne // byte, and so on
	emptyTwo
	emptyFour
	emptyEight
	emptyFloat
	alwaysEmpty // an array without elements
)

func emptinessOf(t reflect.Type) emptiness {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface:
		return emptyPointer
	case reflect.String:
		return emptyString
	case reflect.Slice:
		return emptySlice
	case reflect.Map:
		return emptyMap
	case reflect.Float32, reflect.Float64:
		return emptyFloat
	case reflect.Array:
		if t.Len() == 0 {
			return alwaysEmpty
		}
		return neverEmpty
	}
	if !textual(t) {
		return neverEmpty
	}
	switch t.Size() {
	case 1:
		return emptyOne
	case 2:
		return emptyTwo
	case 4:
		return emptyFour
	}
	return emptyEight
}

// empty reports whether omitempty omits the value at v.
func (f *field) empty(v unsafe.Pointer) bool {
	switch f.omitEmpty {
	case emptyPointer:
		return *(*unsafe.Pointer)(v) == nil
	case emptyString:
		return *(*string)(v) == ""
	case emptySlice:
		return (*slice)(v).len == 0
	case emptyMap:
		return len(*(*map[string]string)(v)) == 0 // the length is at the same place in every map
	case emptyOne:
		return *(*uint8)(v) == 0
	case emptyTwo:
		return *(*uint16)(v) == 0
	case emptyFour:
		return *(*uint32)(v) == 0
	case emptyEight:
		return *(*uint64)(v) == 0
	case emptyFloat:
		return f.plan.float(v) == 0 && !math.Signbit(f.plan.float(v))
	case alwaysEmpty:
		return true
	}
	return false
}

// zeroMethod says how omitzero finds out whether a field is zero.
type zeroMethod uint8

const (
	zeroByValue zeroMethod = iota
	zeroByMethod
	zeroByPointerMethod
	zeroByInterfaceMethod
)

// buildFields finds the members of a struct as encoding/json does: breadth first through embedded
// structs, and of those with the same name the least deep, then the tagged one, and none if that
// does not decide. The lock is held.
func (s *Set) buildFields(p *plan) {
	found := candidates(p.t)
	order := sorted(len(found), func(a, b int) bool { return found[a].before(&found[b]) })
	var dominant []int
	for i := 0; i < len(order); {
		first, same := &found[order[i]], i+1
		for same < len(order) && found[order[same]].name == first.name {
			same++
		}
		if same == i+1 || len(first.index) != len(found[order[i+1]].index) || first.tagged != found[order[i+1]].tagged {
			dominant = append(dominant, order[i])
		}
		i = same
	}
	for _, n := range sorted(len(dominant), func(a, b int) bool { return slices.Compare(found[dominant[a]].index, found[dominant[b]].index) < 0 }) {
		c := found[dominant[n]]
		c.place(p.t)
		c.plan = s.build(c.full)
		if c.plan.op == opFallback && c.text {
			c.text = false // the fallback is given the type alone; types with the option never need it
		}
		p.fields = append(p.fields, c.field)
	}
	for i := range p.fields {
		f := &p.fields[i]
		f.owner = p.t
		f.indirect = f.hops != nil || f.text
		f.findWord()
		switch f.name {
		case "apiVersion", "kind", "metadata":
			f.envelope, f.noted = true, true
		case "labels", "annotations", "uid":
			f.noted = true
		}
	}
	p.buildIndex()
}

const (
	noWord   = ^uintptr(0)
	wordSize = unsafe.Sizeof(uintptr(0))
)

// findWord sets word and omitted.
func (f *field) findWord() {
	f.word = noWord
	if f.hops != nil {
		return
	}
	switch f.omitEmpty {
	case emptyPointer:
		f.word, f.omitted = f.offset, true
	case emptyString, emptySlice:
		f.word, f.omitted = f.offset+wordSize, true // the length
	case emptyMap:
		f.word = f.offset
	case emptyEight:
		if wordSize == 8 {
			f.word, f.omitted = f.offset, true
		}
	}
}

// at returns where the field of the struct at p is; nil if an embedded pointer on the way is nil.
func (f *field) at(p unsafe.Pointer) unsafe.Pointer {
	if f.hops == nil {
		return unsafe.Add(p, f.offset)
	}
	for i := range f.hops {
		if p = *(*unsafe.Pointer)(unsafe.Add(p, f.hops[i].offset)); p == nil {
			return nil
		}
	}
	return unsafe.Add(p, f.offset)
}

// make is at, and allocates the targets of embedded pointers; nil if one cannot be set.
func (f *field) make(p unsafe.Pointer) unsafe.Pointer {
	for i := range f.hops {
		h := &f.hops[i]
		slot := (*unsafe.Pointer)(unsafe.Add(p, h.offset))
		if *slot == nil {
			if h.locked {
				return nil
			}
			*slot = reflect.New(h.to).UnsafePointer()
		}
		p = *slot
	}
	return unsafe.Add(p, f.offset)
}

func zeroMethodOf(t reflect.Type) zeroMethod {
	has := reflect.TypeFor[zeroer]()
	switch {
	case t.Kind() == reflect.Interface && t.Implements(has):
		return zeroByInterfaceMethod
	case t.Implements(has):
		return zeroByMethod
	case reflect.PointerTo(t).Implements(has):
		return zeroByPointerMethod
	}
	return zeroByValue
}
