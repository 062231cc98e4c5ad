package rawjson

import "strconv"

// containers are the objects and arrays of a document that were entered and not left. Its methods read
// at a position that their caller has: members, elements and whole values.
type containers struct {
	source
	maxDepth int
	frames   []frame // outermost first
	keys     keys    // of the objects among them
	maxKeys  int     // how many there may be; 0: any number
	known    known   // containers that need not be read again
}

// frame is one container.
type frame struct {
	closing  byte // '}' of an object, ']' of an array
	started  bool // an element or a member was read
	members  members
	recorded int // 1 + index in known.recorded; 0 if it is not there
}

// LimitMembers sets, for this document and those after it, how many members an object and those
// around it may have together, at any one place; 0 means no limit. Each key takes some forty bytes
// while its object is open, to find duplicates.
func (s *containers) LimitMembers(most int) { s.maxKeys = most }

// separate reads the bytes between two members or two elements of the container entered last, and
// before the first. It returns the position of the next one. At the closing bracket it leaves the
// container, and returns the position after it with more = false; on an error, -1.
func (s *containers) separate(pos int) (next int, more bool) {
	f := &s.frames[len(s.frames)-1]
	pos = space(s.doc, pos)
	if pos >= len(s.doc) {
		return s.failEnd(), false
	}
	object := f.closing == '}'
	switch c := s.doc[pos]; {
	case c == f.closing:
		s.pop(pos + 1)
		return pos + 1, false
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
func (s *containers) push(pos int) bool {
	if len(s.frames) >= s.maxDepth {
		s.fail(pos, "nested deeper than "+strconv.Itoa(s.maxDepth)+" levels")
		return false
	}
	s.frames = append(s.frames, frame{closing: s.doc[pos] + 2, members: s.keys.open()}) // '}' is '{'+2, and ']' is '['+2
	return true
}

// pop leaves the container entered last, which ends at the position.
func (s *containers) pop(end int) {
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
func (s *containers) key(pos int) int {
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
