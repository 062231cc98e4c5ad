package rawjson

import (
	"encoding/binary"
	"math/bits"
)

// The functions of this file read documents that a Scanner has passed: they find where values end
// and check nothing, which is several times as fast. For other text they return wrong positions,
// but never beyond its end and never at or before the beginning of the value.

// Space returns the position of the first byte from i on that is not white space, at most len(doc).
func Space(doc []byte, i int) int { return space(doc, i) }

// EndOfString returns the position after the string whose opening quote is at i, and whether it has
// escapes.
func EndOfString(doc []byte, i int) (end int, escaped bool) {
	i++
	for i < len(doc) {
		if i+8 <= len(doc) {
			w := binary.LittleEndian.Uint64(doc[i:])
			m := equalBytes(w, '"'*ones) | equalBytes(w, '\\'*ones)
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
		}
		switch doc[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			escaped = true
			i++
		}
		i++
	}
	return len(doc), escaped
}

// EndOfValue returns the position after the value whose first byte is at i.
func EndOfValue(doc []byte, i int) int {
	if i >= len(doc) {
		return len(doc)
	}
	switch doc[i] {
	case '"':
		end, _ := EndOfString(doc, i)
		return end
	case '{', '[':
		return endOfContainer(doc, i)
	}
	for i++; i < len(doc); i++ {
		if c := doc[i]; c == ',' || c == '}' || c == ']' || c <= ' ' {
			break
		}
	}
	return i
}

// Unescape appends the content of a string. quoted is the string with its quotes.
func Unescape(dst, quoted []byte) []byte {
	if len(quoted) < 2 {
		return dst
	}
	return unescape(dst, quoted[1:len(quoted)-1])
}

// endOfContainer goes 32 bytes at a time and counts brackets outside of strings. [ and { differ in
// one bit, as do ] and }.
func endOfContainer(doc []byte, i int) int {
	depth := 0
	inside := uint64(0)  // all ones if doc[i] is in a string
	escaped := uint64(0) // 0x80 if doc[i] follows a backslash
	for i+32 <= len(doc) {
		block := doc[i : i+32 : i+32]
		w0, w1 := binary.LittleEndian.Uint64(block), binary.LittleEndian.Uint64(block[8:])
		w2, w3 := binary.LittleEndian.Uint64(block[16:]), binary.LittleEndian.Uint64(block[24:])
		s0, s1, s2, s3 := same(w0, '\\'*ones), same(w1, '\\'*ones), same(w2, '\\'*ones), same(w3, '\\'*ones)
		q0, q1, q2, q3 := same(w0, '"'*ones), same(w1, '"'*ones), same(w2, '"'*ones), same(w3, '"'*ones)
		if s0|s1|s2|s3|escaped != 0 {
			e0, e1, e2, e3 := s0<<8|escaped, s1<<8|s0>>56, s2<<8|s1>>56, s3<<8|s2>>56
			if s0&e0|s1&e1|s2&e2|s3&e3 != 0 { // two in a row are rare: one byte at a time
				if i, depth, inside = bytewise(doc, i+int(escaped>>7), i+32, depth, inside); depth == 0 {
					return i
				}
				escaped = 0
				continue
			}
			q0, q1, q2, q3 = q0&^e0, q1&^e1, q2&^e2, q3&^e3
			escaped = s3 >> 56
		}
		q0 = quotedMarks(q0, inside)
		q1 = quotedMarks(q1, uint64(int64(q0)>>63))
		q2 = quotedMarks(q2, uint64(int64(q1)>>63))
		q3 = quotedMarks(q3, uint64(int64(q2)>>63))
		inside = uint64(int64(q3) >> 63)
		w0, w1, w2, w3 = w0|0x20*ones, w1|0x20*ones, w2|0x20*ones, w3|0x20*ones
		// The marks are in the top bits of bytes, so that those of four words fit into one.
		opening := same(w0, '{'*ones)&^q0 | same(w1, '{'*ones)&^q1>>1 | same(w2, '{'*ones)&^q2>>2 | same(w3, '{'*ones)&^q3>>3
		closing := same(w0, '}'*ones)&^q0 | same(w1, '}'*ones)&^q1>>1 | same(w2, '}'*ones)&^q2>>2 | same(w3, '}'*ones)&^q3>>3
		if n := bits.OnesCount64(closing); n < depth || opening|closing == 0 {
			depth += bits.OnesCount64(opening) - n
			i += 32
			continue
		}
		for range 4 { // the end may be in here: from bracket to bracket
			for m := (opening | closing) & highs; m != 0; m &= m - 1 {
				if at := m & -m; opening&at != 0 {
					depth++
				} else if depth--; depth == 0 {
					return i + bits.TrailingZeros64(at)>>3 + 1
				}
			}
			opening, closing = opening<<1, closing<<1
			i += 8
		}
	}
	i, depth, _ = bytewise(doc, i+int(escaped>>7), len(doc), depth, inside)
	if depth != 0 {
		return len(doc)
	}
	return i
}

// bytewise does the work of endOfContainer for doc[i:to]. It returns the position and the state to
// continue with; depth 0 means that end is the result of endOfContainer.
func bytewise(doc []byte, i, to, depth int, inside uint64) (end, newDepth int, newInside uint64) {
	for ; i < to && i < len(doc); i++ {
		switch c := doc[i]; {
		case inside != 0:
			if c == '\\' {
				i++
			} else if c == '"' {
				inside = 0
			}
		case c == '"':
			inside = ^uint64(0)
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth <= 0 {
				return i + 1, 0, 0
			}
		}
	}
	return min(i, len(doc)), depth, inside
}

// quotedMarks marks the bytes that are in a string, given the quotes in a word and the state before
// it: those with an odd number of quotes before them.
func quotedMarks(quotes, inside uint64) uint64 {
	quotes ^= quotes << 8
	quotes ^= quotes << 16
	quotes ^= quotes << 32
	return quotes ^ inside&highs
}

// same returns a word with the high bit of a byte set where w and pattern have the same byte, and
// no other bits.
func same(w, pattern uint64) uint64 {
	x := w ^ pattern
	return ^(x&^uint64(highs) + ^uint64(highs) | x) & highs
}

// equalBytes returns a word with the high bit of a byte set where w and pattern have the same byte.
// Only the lowest set bit is reliable; see stops.
func equalBytes(w, pattern uint64) uint64 {
	x := w ^ pattern
	return (x - ones) & ^x & highs
}
