package rawjson

import "strconv"

// frame is one container that was entered and not left.
type frame struct {
	closing  byte // '}' of an object, ']' of an array
	started  bool // an element or a member was read
	members  members
	recorded int // 1 + index in known.recorded; 0 if it is not there
}

// enter goes into the next value, a container of the kind.
func (s *Scanner) enter(want Kind) bool {
	if !s.expect(want) || !s.push(s.pos) {
		return false
	}
	s.pos, s.ready = s.pos+1, false
	return true
}

// inside prepares for the next member or element: it skips a value that was not read, and checks
// that the container entered last is one that the bracket closes.
func (s *Scanner) inside(closing byte) bool {
	if s.err == nil && s.ready {
		s.Skip()
	}
	if s.err != nil {
		return false
	}
	if top := len(s.frames) - 1; top < 0 || s.frames[top].closing != closing {
		if closing == '}' {
			s.fail(s.pos, "member expected outside an object")
		} else {
			s.fail(s.pos, "element expected outside an array")
		}
		return false
	}
	return true
}

// separate reads the bytes between two members or two elements of the container entered last, and
// before the first. It returns the position of the next one. At the closing bracket it leaves the
// container; then, and on an error, more is false.
func (s *Scanner) separate(pos int) (next int, more bool) {
	f := &s.frames[len(s.frames)-1]
	pos = space(s.doc, pos)
	if pos >= len(s.doc) {
		return s.failEnd(), false
	}
	object := f.closing == '}'
	switch c := s.doc[pos]; {
	case c == f.closing:
		s.pos = pos + 1
		s.pop(s.pos)
		return -1, false
	case !f.started:
		f.started = true
		if object && c != '"' {
			return s.failExpected(pos, "a key in quotes or '}'"), false
		}
		return pos, true
	case c != ',':
		return s.failSeparator(pos, object), false
	}
	pos = space(s.doc, pos+1)
	if object && (pos >= len(s.doc) || s.doc[pos] != '"') {
		return s.failExpected(pos, "a key in quotes after ','"), false
	}
	return pos, true
}

// push enters the container whose bracket is at pos.
func (s *Scanner) push(pos int) bool {
	if len(s.frames) >= s.maxDepth {
		s.fail(pos, "nested deeper than "+strconv.Itoa(s.maxDepth)+" levels")
		return false
	}
	s.frames = append(s.frames, frame{closing: s.doc[pos] + 2, members: s.keys.open()}) // '}' is '{'+2, and ']' is '['+2
	return true
}

// pop leaves the container entered last, which ends at the position.
func (s *Scanner) pop(end int) {
	top := len(s.frames) - 1
	f := &s.frames[top]
	if f.closing == '}' {
		s.keys.close(&f.members)
	}
	if f.recorded != 0 {
		s.endRecord(f, end)
	}
	s.frames = s.frames[:top]
}

// key reads a key, whose opening quote is at pos, and the colon after it. It returns the position
// after the colon, or -1.
func (s *Scanner) key(pos int) int {
	end, escaped := s.str(pos)
	if end < 0 {
		return -1
	}
	if s.maxKeys > 0 && len(s.keys.refs) >= s.maxKeys {
		return s.fail(pos, "more than "+strconv.Itoa(s.maxKeys)+" members of objects within each other")
	}
	f := &s.frames[len(s.frames)-1]
	if !s.keys.add(&f.members, s.doc, pos+1, end-1, escaped) {
		return s.failKey(pos, s.keys.last(s.doc))
	}
	if end < len(s.doc) && s.doc[end] == ':' {
		return end + 1
	}
	if end = space(s.doc, end); end >= len(s.doc) || s.doc[end] != ':' {
		return s.failExpected(end, "':' after a key")
	}
	return end + 1
}
