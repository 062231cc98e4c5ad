package codec

import (
	"cmp"
	"reflect"
	"slices"
	"unsafe"
)

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
	for i, n := range c.index {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
			c.hops = append(c.hops, hop{offset: c.offset, to: t, locked: !exported})
			c.offset = 0
		}
		f := t.Field(n)
		c.offset += f.Offset
		if i < len(c.index)-1 {
			c.outer = append(c.outer, f.Name)
		}
		t, exported = f.Type, f.IsExported()
	}
	c.quoted = padded(append(appendString([]byte{','}, c.name), ':'))
	c.padded = unsafe.Pointer(unsafe.StringData(c.quoted))
}
