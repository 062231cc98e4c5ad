package rawjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Words of eight equal bytes, for looking at eight bytes at once.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// stops returns a word in which the high bit of a byte is set if the byte of w may not stand in a
// string as it is: a quote, a backslash, a control character, or part of a character beyond ASCII.
// Only the lowest set bit is reliable, because a borrow may affect the bits above it.
//
// Subtracting sets the high bit of a byte below 0x80 if the byte is smaller than the subtrahend.
// Flipping bit 1 moves the quote (0x22) to 0x20, next to the control characters (0x00–0x1F), which
// stay among themselves; so one subtraction finds both. A byte from 0x80 on has its high bit
// already, and loses it in at most one of the two differences: 0x80–0x9F and 0xA2 in the first,
// 0xDC in the second.
func stops(w uint64) uint64 {
	quoteOrControl := (w ^ 0x02*ones) - 0x21*ones
	backslash := (w ^ '\\'*ones) - ones
	return (quoteOrControl | backslash) & highs
}

// str reads the string whose opening quote is at i. It returns the position after the closing
// quote, or -1, and whether there is a backslash in it.
func (s *source) str(i int) (end int, escaped bool) {
	doc := s.doc
	for i++; i+8 <= len(doc); i += 8 {
		if m := stops(binary.LittleEndian.Uint64(doc[i:])); m != 0 {
			i += bits.TrailingZeros64(m) >> 3
			if doc[i] == '"' {
				return i + 1, false
			}
			break
		}
	}
	return s.strange(i)
}

// strange continues with a string from i on: at a byte that is not plain text, or near the end of
// the document.
func (s *source) strange(i int) (end int, escaped bool) {
	doc := s.doc
	for i < len(doc) {
		switch c := doc[i]; {
		case c == '"':
			return i + 1, escaped
		case c == '\\':
			if i = s.escape(i); i < 0 {
				return -1, false
			}
			escaped = true
		case c >= utf8.RuneSelf:
			_, n := utf8.DecodeRune(doc[i:])
			if n == 1 {
				return s.fail(i, "invalid UTF-8 in a string"), false
			}
			i += n
		case c < ' ':
			return s.failString(i), false
		default:
			i = plain(doc, i+1)
		}
	}
	return s.failEnd(), false
}

// plain returns the position of the first byte from i on that is not plain text of a string, or the
// end of the document.
func plain(doc []byte, i int) int {
	for ; i+8 <= len(doc); i += 8 {
		if m := stops(binary.LittleEndian.Uint64(doc[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(doc) && doc[i] >= ' ' && doc[i] < utf8.RuneSelf && doc[i] != '"' && doc[i] != '\\' {
		i++
	}
	return i
}

// escape reads the escape sequence, or the pair of them, whose backslash is at i. It returns the
// position after it, or -1.
func (s *source) escape(i int) int {
	if i+1 >= len(s.doc) {
		return s.failEnd()
	}
	switch s.doc[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
	default:
		return s.fail(i, "unknown escape sequence in a string")
	}
	r := s.hex4(i)
	if r < 0 {
		return -1
	}
	if !utf16.IsSurrogate(r) {
		return i + 6
	}
	lone := func() int { return s.fail(i, "lone surrogate "+string(s.doc[i:i+6])) }
	if r >= 0xDC00 {
		return lone()
	}
	switch rest := s.doc[i+6:]; {
	case len(rest) == 0, len(rest) == 1 && rest[0] == '\\':
		return s.failEnd()
	case rest[0] != '\\' || rest[1] != 'u':
		return lone()
	}
	low := s.hex4(i + 6)
	if low < 0 {
		return -1
	}
	if low < 0xDC00 || low > 0xDFFF {
		return lone()
	}
	return i + 12
}

// hex4 returns the number of the \uXXXX at i, or -1 with an error.
func (s *source) hex4(i int) rune {
	var r rune
	for j := i + 2; j < i+6; j++ {
		if j >= len(s.doc) {
			s.failEnd()
			return -1
		}
		d := hexDigit(s.doc[j])
		if d < 0 {
			s.fail(i, `four hexadecimal digits must follow \u`)
			return -1
		}
		r = r<<4 | d
	}
	return r
}

// hexDigit returns the value of the digit, or -1.
func hexDigit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return rune(c | 0x20 - 'a' + 10)
	}
	return -1
}

// unescape appends the content of the string. raw is that without the quotes, already checked.
func unescape(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			start := i
			for i < len(raw) && raw[i] != '\\' {
				i++
			}
			dst = append(dst, raw[start:i]...)
			continue
		}
		c := raw[i+1]
		i += 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := codeUnit(raw[i:])
			i += 4
			if utf16.IsSurrogate(r) {
				r = utf16.DecodeRune(r, codeUnit(raw[i+2:]))
				i += 6
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// codeUnit returns the number that the first four bytes of b, hexadecimal digits, represent.
func codeUnit(b []byte) rune {
	return hexDigit(b[0])<<12 | hexDigit(b[1])<<8 | hexDigit(b[2])<<4 | hexDigit(b[3])
}
