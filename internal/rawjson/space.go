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
