package rawjson

import "strconv"

// kinds is the kind of the value that a byte begins.
var kinds = [256]Kind{
	'{': Object, '[': Array, '"': String, 't': Bool, 'f': Bool, 'n': Null, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number, '5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

// begin moves to the first byte of the next value. It returns false if no value is next, with an error unless that is in order.
func (s *Scanner) begin() bool {
	if s.err != nil || !s.ready {
		return false
	}
	s.pos = space(s.doc, s.pos)
	if s.pos >= len(s.doc) {
		s.failEnd()
		return false
	}
	if kinds[s.doc[s.pos]] == Invalid {
		s.failValue(s.pos)
		return false
	}
	return true
}

// expect is begin for a value that must be of the kind.
func (s *Scanner) expect(want Kind) bool {
	if !s.begin() {
		if s.err == nil {
			s.fail(s.pos, "expected "+want.String()+" where no value is next")
		}
		return false
	}
	if got := kinds[s.doc[s.pos]]; got != want {
		s.fail(s.pos, "expected "+want.String()+", found "+got.String())
		return false
	}
	return true
}

// enter goes into the next value, a container of the kind.
func (s *Scanner) enter(want Kind) bool {
	if !s.expect(want) || !s.push(s.pos) {
		return false
	}
	s.pos, s.ready = s.pos+1, false
	return true
}

// inside prepares for the next member or element: it skips a value that was not read, and checks that the container entered last is one
// that the bracket closes.
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

// separate reads what is between two members or two elements of the container entered last, and before the first. It returns the
// position of the next one. At the closing bracket it leaves the container; then, and on an error, more is false.
func (s *Scanner) separate(pos int) (next int, more bool) {
	f := &s.frames[len(s.frames)-1]
	pos = space(s.doc, pos)
	if pos >= len(s.doc) {
		return s.failEnd(), false
	}
	object := f.closing == '}'
	switch c := s.doc[pos]; {
	case c == f.closing:
		s.pop()
		s.pos = pos + 1
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

func (s *Scanner) failSeparator(pos int, object bool) int {
	if object {
		return s.failExpected(pos, "',' or '}' after a member")
	}
	return s.failExpected(pos, "',' or ']' after an element")
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

// pop leaves the container entered last.
func (s *Scanner) pop() {
	top := len(s.frames) - 1
	if f := &s.frames[top]; f.closing == '}' {
		s.keys.close(&f.members)
	}
	s.frames = s.frames[:top]
}

// key reads a key, whose opening quote is at pos, and the colon after it. It returns the position after the colon, or -1.
func (s *Scanner) key(pos int) int {
	end, escaped := s.str(pos)
	if end < 0 {
		return -1
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

// skip reads the whole value that begins at pos, where its first byte must be. It returns the position after it, or -1.
//
// It is the inner loop of everything: what is common in documents that machines write, no space and no escapes, is seen to here, and
// the rest, every error included, by the functions that the pull API is made of.
func (s *Scanner) skip(pos int) int {
	doc, base := s.doc, len(s.frames)
	for {
		entered := false
		switch kinds[doc[pos]] {
		case String:
			pos, _ = s.str(pos)
		case Object, Array:
			if pos+1 < len(doc) && doc[pos+1] == doc[pos]+2 && len(s.frames) < s.maxDepth { // an empty one, see push
				pos += 2
				break
			}
			if !s.push(pos) {
				return -1
			}
			entered = true
			pos++
		case Number:
			pos = s.number(pos)
		case Bool, Null:
			pos = s.literal(pos)
		default:
			return s.failValue(pos)
		}
		if pos < 0 {
			return -1
		}
		// On to the next value, out of the containers that end here.
		for {
			top := len(s.frames) - 1
			if top < base {
				return pos
			}
			if !entered && pos+1 < len(doc) {
				f := &s.frames[top]
				if c := doc[pos]; c == ',' && (doc[pos+1] == '"' || f.closing == ']') {
					pos++
					break
				} else if c == f.closing {
					s.pop()
					pos++
					continue
				}
			}
			next, more := s.separate(pos)
			if more {
				pos = next
				break
			}
			if s.err != nil {
				return -1
			}
			pos, entered = s.pos, false
		}
		if s.frames[len(s.frames)-1].closing == '}' {
			if pos = s.key(pos); pos < 0 {
				return -1
			}
		}
		if pos = space(doc, pos); pos >= len(doc) {
			return s.failEnd()
		}
	}
}

// literal reads true, false or null.
func (s *Scanner) literal(pos int) int {
	word := "true"
	switch s.doc[pos] {
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	}
	for i := 1; i < len(word); i++ {
		if pos+i >= len(s.doc) {
			return s.failEnd()
		}
		if s.doc[pos+i] != word[i] {
			return s.fail(pos, "expected "+word)
		}
	}
	return pos + len(word)
}

// space returns the position of the first byte from pos on that is not white space.
func space(doc []byte, pos int) int {
	for pos < len(doc) {
		if c := doc[pos]; c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			break
		}
		pos++
	}
	return pos
}
