package rawjson

// kinds is the kind of the value that a byte begins. It is a constant in all but the name.
var kinds = [256]Kind{
	'{': Object, '[': Array, '"': String, 't': Bool, 'f': Bool, 'n': Null, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number, '5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

// skip reads the whole value that begins at pos, where its first byte must be. It returns the
// position after it, or -1.
//
// It is the inner loop of every reader. It handles the common form of machine-written documents,
// without space and escapes; the functions of the pull API handle the rest, including every error.
func (s *containers) skip(pos int) int {
	doc, base := s.doc, len(s.frames)
	levels := s.known.levels()
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
			outer := len(s.frames)-base < levels
			if outer {
				if end := s.passKnown(pos); end >= 0 {
					pos = end
					break
				}
			}
			if !s.push(pos) {
				return -1
			}
			if outer {
				s.beginRecord(pos)
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
					pos++
					s.pop(pos)
					continue
				}
			}
			more := false
			if pos, more = s.separate(pos); more {
				break
			}
			if pos < 0 {
				return -1
			}
			entered = false
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
