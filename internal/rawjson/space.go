package rawjson

import (
	"encoding/binary"
	"math/bits"
)

// space returns the position of the first byte from pos on that is not white space.
func space(doc []byte, pos int) int {
	if pos < len(doc) && doc[pos] > ' ' {
		return pos
	}
	return spaces(doc, pos)
}

// spaces is space where there is some, or an end. Indentation goes by eight spaces at a time.
func spaces(doc []byte, pos int) int {
	for pos < len(doc) {
		switch doc[pos] {
		case '\n', '\t', '\r':
			pos++
		case ' ':
			pos++
			for pos+8 <= len(doc) {
				others := binary.LittleEndian.Uint64(doc[pos:]) ^ ' '*ones
				if others != 0 {
					pos += bits.TrailingZeros64(others) >> 3
					break
				}
				pos += 8
			}
		default:
			return pos
		}
	}
	return pos
}

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

// source is a document and the first error in it. Its methods read one string, number or literal: they
// know nothing of the containers around it.
type source struct {
	doc []byte
	err *SyntaxError
}
