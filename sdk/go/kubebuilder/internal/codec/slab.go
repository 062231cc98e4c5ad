package codec

import (
	"reflect"
	"unsafe"
)

// An allocation costs 2,000 units of a gateway's fuel in a module, and one by way of reflection
// 5,000. Values are therefore taken from slabs, which are allocated at initialisation for the first
// time: a gateway puts a module back into that state, so that a review finds them full. A slab is
// used once: its values are garbage when no conversion refers to them any more.

const (
	slabBytes  = 1 << 10 // the first slab of a type has at most so many bytes, unless one value has more,
	slabValues = 16      // and at most so many values
	slabMost   = 8 << 10 // each later one has twice as many, up to so many bytes
	textBytes  = 64 << 10
)

// slab is memory for values of one type.
type slab struct {
	slice               // the rest: len is 0, cap the rest
	next  int           // the number of values in the next slab
	grow  reflect.Value // the slice, to allocate the next one with
}

// new returns a new zero value.
func (d *decoder) new(p *plan) unsafe.Pointer {
	if s := p.slab; d.slabs && s.cap > 1 {
		at := s.data
		s.cap--
		s.data = unsafe.Add(at, p.size)
		return at
	}
	return d.take(p, 1)
}

// take returns memory for n zero values.
func (d *decoder) take(p *plan, n int) unsafe.Pointer {
	if !d.slabs {
		return reflect.MakeSlice(reflect.SliceOf(p.t), n, n).UnsafePointer()
	}
	return p.slab.take(p, n)
}

func (s *slab) take(p *plan, n int) unsafe.Pointer {
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

// extend makes a list one element longer, if the next value of its slab lies behind it.
func (d *decoder) extend(p *plan, list *slice) bool {
	if !d.slabs {
		return false
	}
	s := p.slab
	if s.cap == 0 || p.size == 0 || unsafe.Add(list.data, uintptr(list.cap)*p.size) != s.data {
		return false
	}
	s.take(p, 1)
	list.cap++
	return true
}

// needSlab gives a plan a slab, if it has none. The lock is held.
func (p *plan) needSlab() {
	if p.slab == nil {
		p.slab = &slab{next: max(1, min(slabValues, slabBytes/int(max(p.size, 1))))}
		p.slab.grow = reflect.NewAt(reflect.SliceOf(p.t), unsafe.Pointer(&p.slab.slice)).Elem()
	}
}

// fill makes a new slab, with n values at least.
func (s *slab) fill(p *plan, n int) {
	n = max(n, s.next)
	s.slice = slice{}
	s.grow.Grow(n)
	s.next = min(2*n, max(1, slabMost/int(max(p.size, 1))))
}

// New returns a pointer to a new zero value of the codec's type.
func (c *Codec) New() unsafe.Pointer {
	alone := c.set.enter()
	if !alone {
		return reflect.New(c.plan.t).UnsafePointer()
	}
	v := c.plan.slab.take(c.plan, 1)
	c.set.leave(alone)
	return v
}

// Pointer returns v, a pointer to a value of the codec's type, as an interface.
func (c *Codec) Pointer(v unsafe.Pointer) any { return c.plan.pointer(v) }

// Warm fills the slabs.
func (s *Set) Warm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.plans {
		if p.slab != nil {
			p.slab.next = max(1, min(slabValues, slabBytes/int(max(p.size, 1))))
			p.slab.fill(p, 1)
		}
	}
	s.texts.rest = make([]byte, textBytes)
}

// enter reports whether the caller may take values from the slabs until it leaves. A module has one
// thread, and a slab is whole whenever a decoder calls a method, which may decode, too.
func (s *Set) enter() (alone bool) { return isWasm || s.decoding.CompareAndSwap(false, true) }

func (s *Set) leave(alone bool) {
	if alone && !isWasm {
		s.decoding.Store(false)
	}
}

// copied returns a copy of a text that a decoder can read.
func (s *Set) copied(text []byte, alone bool) string {
	if alone {
		return s.texts.padded(text)
	}
	return padded(text)
}

// chunk is memory for texts.
type chunk struct{ rest []byte }

// giveBack returns the rest of the room behind a text that was appended to it, unless other memory
// was taken since, or the text has outgrown the room.
func (c *chunk) giveBack(room, text []byte) {
	end := unsafe.Add(unsafe.Pointer(unsafe.SliceData(room)), cap(room))
	if unsafe.SliceData(text) == unsafe.SliceData(room) && len(c.rest) > 0 && end == unsafe.Pointer(unsafe.SliceData(c.rest)) {
		n := cap(room) - len(text)
		c.rest = unsafe.Slice((*byte)(unsafe.Add(end, -n)), n+len(c.rest))
	}
}

// padded is the function padded, with memory of the chunk.
func (c *chunk) padded(text []byte) string {
	n := len(text) + 8
	if n > len(c.rest) {
		if n > textBytes/4 {
			return padded(text)
		}
		c.rest = make([]byte, textBytes)
	}
	copied := c.rest[:n]
	c.rest = c.rest[n:]
	copy(copied, text)
	return unsafe.String(unsafe.SliceData(copied), len(text))
}

// padded returns a copy of a text that has eight zeros behind it in memory, so that words can be
// read up to its end.
func padded[T string | []byte](text T) string {
	buffer := make([]byte, len(text)+8)
	copy(buffer, text)
	return unsafe.String(unsafe.SliceData(buffer), len(text))
}
