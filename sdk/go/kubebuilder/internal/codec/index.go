package codec

import "strings"

// buildIndex makes the table that lookUp uses: open addressing, at most half full, of field numbers counted from 1. Structs of
// more than 120 fields, for whose numbers a byte would not do, have a map.
func (p *plan) buildIndex() {
	const most = 120
	if len(p.fields) > most {
		p.wide = map[string]int{}
		for i := range p.fields {
			p.wide[p.fields[i].name] = i
		}
		return
	}
	size := 4
	for size < 2*len(p.fields) {
		size *= 2
	}
	p.index = make([]uint8, size)
	for i := range p.fields {
		f := &p.fields[i]
		f.start = start(f.name)
		if n := len(f.name); n >= 8 {
			f.end = word(f.name, n-8)
		}
		at := hash(f.start, len(f.name)) & (size - 1)
		for p.index[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		p.index[at] = uint8(i + 1)
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

// hash mixes the start of a name and its length: the top bits of a product with the golden ratio depend on all bits.
func hash(start uint64, length int) int {
	return int((start + uint64(length)) * 0x9e3779b97f4a7c15 >> 48)
}

// lookUp returns the field of a name: the one of this very name, or else the first that differs in case only.
func (p *plan) lookUp(name string) *field {
	if p.wide != nil {
		if i, ok := p.wide[name]; ok {
			return &p.fields[i]
		}
	} else {
		mask, w := len(p.index)-1, start(name)
		for at := hash(w, len(name)) & mask; p.index[at] != 0; at = (at + 1) & mask {
			if f := &p.fields[p.index[at]-1]; f.start == w && len(f.name) == len(name) && (len(name) <= 8 || f.name == name) {
				return f
			}
		}
	}
	return p.fold(name)
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
