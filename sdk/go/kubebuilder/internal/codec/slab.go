package codec

import (
	"reflect"
	"unsafe"
)

// An allocation costs 2,000 units of a gateway's fuel in a module, and one by way of reflection 5,000. Values are therefore taken from slabs, which
// are allocated at initialisation for the first time: a gateway puts a module back into that state, so that a review finds them full.

// slabBytes is how much a slab has: at most so many bytes, unless one value has more, and at most so many values.
const (
	slabBytes  = 512
	slabValues = 16
)

// slab is memory for values of one type.
type slab struct {
	slice               // the rest: len is 0, cap the rest
	grow  reflect.Value // the slice, to allocate the next one with
}

// new returns a new zero value.
func (d *decoder) new(p *plan) unsafe.Pointer { return d.take(p, 1) }

// take returns memory for n zero values.
func (d *decoder) take(p *plan, n int) unsafe.Pointer {
	if !d.slabs {
		return reflect.MakeSlice(reflect.SliceOf(p.t), n, n).UnsafePointer()
	}
	s := p.slab
	if s.cap < n {
		s.fill(p, n)
	}
	at := s.data
	s.cap -= n
	if s.cap > 0 { // a pointer behind the last value would be one to something else
		s.data = unsafe.Add(at, uintptr(n)*p.size)
	}
	return at
}

// needSlab gives a plan a slab, if it has none. The lock is held.
func (p *plan) needSlab() {
	if p.slab == nil {
		p.slab = new(slab)
		p.slab.grow = reflect.NewAt(reflect.SliceOf(p.t), unsafe.Pointer(&p.slab.slice)).Elem()
	}
}

// fill makes a new slab, with n values at least.
func (s *slab) fill(p *plan, n int) {
	s.slice = slice{}
	s.grow.Grow(max(n, min(slabValues, slabBytes/int(max(p.size, 1)))))
}

// Warm fills the slabs.
func (s *Set) Warm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.plans {
		if p.slab != nil {
			p.slab.fill(p, 1)
		}
	}
}
