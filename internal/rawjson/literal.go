package rawjson

// literal reads true, false or null.
func (s *source) literal(pos int) int {
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
