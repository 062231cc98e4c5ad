package codec

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unsafe"
)

// field is a member of a struct's JSON object.
type field struct {
	name   string
	end    uint64         // its last eight bytes, if it has so many
	quoted string         // a comma, the name with its quotes, escaped, and a colon
	padded unsafe.Pointer // quoted, with as many bytes behind it as make whole words
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

// candidate is a field while dominance is being decided.
type candidate struct {
	field
	index  []int
	tagged bool
	typ    reflect.Type // of a struct that is embedded, to be looked into
	full   reflect.Type
}

// before says whether c comes before other in the order of names, in which the dominant field of a
// name is the first.
func (c *candidate) before(other *candidate) bool {
	switch {
	case c.name != other.name:
		return c.name < other.name
	case len(c.index) != len(other.index):
		return len(c.index) < len(other.index)
	case c.tagged != other.tagged:
		return c.tagged
	}
	return slices.Compare(c.index, other.index) < 0
}

// candidates returns the fields of t and of the structs embedded in it.
func candidates(t reflect.Type) (found []candidate) {
	next := []candidate{{typ: t}}
	var count, nextCount map[reflect.Type]int
	visited := map[reflect.Type]bool{}
	for len(next) > 0 {
		current := next
		next = nil
		count, nextCount = nextCount, map[reflect.Type]int{}
		for _, outer := range current {
			if visited[outer.typ] {
				continue
			}
			visited[outer.typ] = true
			for i := range outer.typ.NumField() {
				f := outer.typ.Field(i)
				inner := f.Type
				if inner.Kind() == reflect.Pointer && (f.Anonymous || inner.Name() == "") {
					inner = inner.Elem()
				}
				if !f.IsExported() && (!f.Anonymous || inner.Kind() != reflect.Struct) {
					continue
				}
				tag := f.Tag.Get("json")
				if tag == "-" {
					continue
				}
				name, options := parseTag(tag)
				if !isValidTag(name) {
					name = ""
				}
				c := candidate{index: append(slices.Clone(outer.index), i), typ: inner, full: f.Type, tagged: name != ""}
				if name == "" && f.Anonymous && inner.Kind() == reflect.Struct {
					if nextCount[inner]++; nextCount[inner] == 1 {
						next = append(next, c)
					}
					continue
				}
				c.name = cmp.Or(name, f.Name)
				c.omitZero = options.has("omitzero")
				if options.has("omitempty") {
					c.omitEmpty = emptinessOf(f.Type)
				}
				c.text = options.has("string") && textual(inner)
				if c.omitZero {
					c.isZero = zeroMethodOf(f.Type)
				}
				found = append(found, c)
				if count[outer.typ] > 1 { // the struct is embedded twice at this depth: neither of its fields dominates
					found = append(found, c)
				}
			}
		}
	}
	return found
}

// place finds where the field is, from its index sequence.
func (c *candidate) place(t reflect.Type) {
	exported := true
	for _, n := range c.index {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
			c.hops = append(c.hops, hop{offset: c.offset, to: t, locked: !exported})
			c.offset = 0
		}
		f := t.Field(n)
		c.offset += f.Offset
		t, exported = f.Type, f.IsExported()
	}
	c.quoted = padded(append(appendString([]byte{','}, c.name), ':'))
	c.padded = unsafe.Pointer(unsafe.StringData(c.quoted))
}

// textual says whether the option "string" applies to a type.
func textual(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return true
	}
	return false
}

// options are those of a json tag, behind its name.
type options string

func parseTag(tag string) (name string, o options) {
	name, rest, _ := strings.Cut(tag, ",")
	return name, options(rest)
}

func (o options) has(option string) bool {
	for _, s := range strings.Split(string(o), ",") {
		if s == option {
			return true
		}
	}
	return false
}

func isValidTag(name string) bool {
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return name != ""
}
