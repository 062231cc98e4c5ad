package codec

import (
	"strings"
	"unsafe"
)

// slot is an entry of the table of a struct's fields: open addressing, at most half full.
type slot struct {
	start uint64 // the first eight bytes of the name
	len   int    // of the name
	field *field // nil: the slot is empty
}

// buildIndex makes the table that lookUp uses.
func (p *plan) buildIndex() {
	size := 4
	for size < 2*len(p.fields) {
		size *= 2
	}
	table := make([]slot, size)
	p.slots, p.mask = unsafe.Pointer(unsafe.SliceData(table)), size-1
	for i := range p.fields {
		f := &p.fields[i]
		first := start(f.name)
		if n := len(f.name); n >= 8 {
			f.end = word(f.name, n-8)
		}
		at := hash(first, len(f.name)) & p.mask
		for table[at].field != nil {
			at = (at + 1) & p.mask
		}
		table[at] = slot{first, len(f.name), f}
	}
}

// start returns the first eight bytes of a name as a number, zeros behind a shorter name.
func start(name string) uint64 {
	if len(name) >= 8 {
		return word(name, 0)
	}
	var w uint64
	for i := len(name) - 1; i >= 0; i-- {
		w = w<<8 | uint64(name[i])
	}
	return w
}

// hash mixes the start of a name and its length: the top bits of a product with the golden ratio
// depend on all bits.
func hash(start uint64, length int) int {
	return int((start + uint64(length)) * 0x9e3779b97f4a7c15 >> 48)
}

// lookUp returns the field of a name: the one of this very name, or else the first that differs in
// case only.
func (p *plan) lookUp(name string) *field {
	first := start(name)
	for at := hash(first, len(name)) & p.mask; ; at = (at + 1) & p.mask {
		s := p.slot(at)
		if s.field == nil {
			return p.fold(name)
		}
		if s.start == first && s.len == len(name) && s.field.name == name {
			return s.field
		}
	}
}

// lookUp is plan.lookUp with the decoder's matching.
func (d *decoder) lookUp(p *plan, name string) *field {
	f := p.lookUp(name)
	if f != nil && d.exact && f.name != name {
		return nil
	}
	return f
}

func (p *plan) slot(at int) *slot {
	return (*slot)(unsafe.Add(p.slots, uintptr(at)*unsafe.Sizeof(slot{})))
}

// fold returns the first field whose name differs from name in case only.
func (p *plan) fold(name string) *field {
	for i := range p.fields {
		if strings.EqualFold(p.fields[i].name, name) {
			return &p.fields[i]
		}
	}
	return nil
}
