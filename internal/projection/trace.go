package projection

import "github.com/crosswalk-gateway/crosswalk/internal/rawjson"

// Tracer notes the declared parts of an object, as Read finds them, while a Scanner reads the
// object for another purpose, so that the object is read only once. It follows the object's own
// members and those of its metadata, and reads deeper values itself. The zero value notes nothing.
// A Tracer may be reused.
//
//	t.Begin(fields, parts, most, &scanner, doc, start) // the scanner has entered the object
//	t.Passed(key, start, span)                         // a member was read
//	t.Value(&scanner, key, start)                      // or is to be read
//	parts = t.End()                                    // the scanner has left the object
type Tracer struct {
	s      *rawjson.Scanner
	doc    []byte
	origin int // of the object, in doc: offsets of parts are relative to it
	parts  []Part
	base   int // index of the object
	in     int // index of the object or of its metadata: where members are noted
	most   int // of parts
	full   bool
}

// Begin begins with the object that the scanner entered last, at the given offset of doc. It
// appends to parts. If the object has more than about most parts, it notes none.
func (t *Tracer) Begin(f *Fields, parts []Part, most int, s *rawjson.Scanner, doc []byte, start int) {
	*t = Tracer{s: s, doc: doc, origin: start, base: len(parts), in: len(parts), most: most}
	t.parts = append(parts, Part{field: f.root, key: -1, shape: object, last: 1})
}

// Notes says whether there is something to note: between Begin and End.
func (t *Tracer) Notes() bool { return t.s != nil }

// Passed notes a member that has been read: its key, where the key's quote is, and the value.
func (t *Tracer) Passed(key []byte, start int, value rawjson.Span) {
	if f := t.parts[t.in].field.find(key); f != nil {
		t.note(f, start, value.Start)
		t.ended(len(t.parts)-1, value.End)
	}
	t.counted(value.End)
}

// Value reads the value of a member, the scanner's next value, and notes its declared parts.
func (t *Tracer) Value(s *rawjson.Scanner, key []byte, start int) rawjson.Span {
	if t.s == nil {
		return s.Skip()
	}
	f := t.parts[t.in].field.find(key)
	if f == nil {
		value := s.Skip()
		t.counted(value.End)
		return value
	}
	if s.Peek() == rawjson.Invalid {
		return rawjson.Span{}
	}
	value := rawjson.Span{Start: s.Offset()}
	t.value(f, start)
	value.End = s.Offset()
	t.counted(value.End)
	return value
}

// Enter says that the scanner has entered the metadata, which is an object; start is the offset of
// its key.
func (t *Tracer) Enter(start int) {
	if t.s == nil {
		return
	}
	t.in = len(t.parts)
	bracket := t.s.Offset() - 1
	t.note(t.parts[t.base].field.find([]byte("metadata")), start, bracket)
	t.parts[t.in].last = int32(bracket + 1 - t.origin)
}

// Leave says that the scanner has left the metadata.
func (t *Tracer) Leave() {
	if t.s == nil {
		return
	}
	end := t.s.Offset()
	if t.parts[t.in].shape != object { // no part of it is declared, so Read would skip it
		t.parts[t.in].last, t.parts[t.in].count = 0, 0
	}
	t.ended(t.in, end)
	t.in = t.base
	t.counted(end)
}

// End ends the object and returns its parts after those that were there before; without new parts
// if there were too many.
func (t *Tracer) End() []Part {
	t.ended(t.base, t.s.Offset())
	parts := t.parts
	if t.full {
		parts = parts[:t.base]
	}
	*t = Tracer{}
	return parts
}

// counted counts a member of the current object that ends at an offset of doc.
func (t *Tracer) counted(end int) {
	p := &t.parts[t.in]
	p.last = int32(end - t.origin)
	p.count++
}

// note adds a part that begins at an offset of doc, its key at another, or no key if that is
// negative.
func (t *Tracer) note(f *field, key, start int) {
	if key >= 0 {
		key -= t.origin
	}
	t.parts = append(t.parts, Part{field: f, key: int32(key), start: int32(start - t.origin), shape: f.shapeOf(t.doc[start])})
}

// ended says where a part ends, and that all that is in it has been noted.
func (t *Tracer) ended(i, end int) {
	t.parts[i].end, t.parts[i].next = int32(end-t.origin), int32(len(t.parts)-t.base)
}

// value reads the next value and notes its declared parts. The length of paths bounds its depth.
func (t *Tracer) value(f *field, key int) {
	s := t.s
	if s.Peek() == rawjson.Invalid {
		return
	}
	if t.full = t.full || len(t.parts) >= t.most; t.full {
		s.Skip()
		return
	}
	at := len(t.parts)
	t.note(f, key, s.Offset())
	switch t.parts[at].shape {
	case object:
		s.Object()
		last, count := s.Offset(), 0
		for m, ok := s.Member(); ok; m, ok = s.Member() {
			if child := f.find(m.Key); child != nil {
				t.value(child, m.Start)
			} else {
				s.Skip()
			}
			last = s.Offset()
			count++
		}
		t.parts[at].last, t.parts[at].count = int32(last-t.origin), int32(count)
	case array:
		s.Array()
		count := 0
		for s.Element() {
			t.value(f.elements, -1)
			count++
		}
		t.parts[at].count = int32(count)
	default:
		s.Skip()
	}
	t.ended(at, s.Offset())
}
