package codec

import (
	"fmt"
	"unsafe"
)

// smallInt returns the whole number at i and its end; 0 if it is none, or has more than nine
// digits, which any type of 32 bits holds.
func smallInt(data unsafe.Pointer, i int) (n int64, end int) {
	first := at(data, i)
	if first == '-' {
		i++
	}
	start := i
	for ; at(data, i)-'0' <= 9; i++ {
		n = n*10 + int64(at(data, i)-'0')
		if i-start > 8 {
			return 0, 0
		}
	}
	if i == start || at(data, start) == '0' && i > start+1 {
		return 0, 0
	}
	switch at(data, i) {
	case '.', 'e', 'E':
		return 0, 0
	}
	if first == '-' {
		n = -n
	}
	return n, i
}

// field decodes the value at pos into a field of the struct at v.
func (d *decoder) field(f *field, v unsafe.Pointer) error {
	to := unsafe.Add(v, f.offset)
	if f.hops != nil {
		if to = f.make(v); to == nil {
			return fmt.Errorf("json: cannot set embedded pointer to unexported struct: %v", f.hops[len(f.hops)-1].to)
		}
	}
	if f.text {
		return d.textValue(f.plan, to)
	}
	return d.value(f.plan, to)
}
