package codec

import (
	"unicode/utf16"
	"unicode/utf8"
)

// unquote appends the text of the inside of a JSON string. Escapes have been checked; invalid UTF-8
// and half surrogate pairs become U+FFFD.
func unquote(out []byte, s string) []byte {
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && s[i] != '\\' && s[i] < utf8.RuneSelf {
			i++
		}
		out = append(out, s[start:i]...)
		switch {
		case i == len(s):
			return out
		case s[i] >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			out = utf8.AppendRune(out, r)
			i += size
			continue
		}
		switch c := s[i+1]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := unit(s, i)
			i += 4
			if utf16.IsSurrogate(r) {
				if second := unit(s, i+2); utf16.DecodeRune(r, second) != utf8.RuneError {
					r = utf16.DecodeRune(r, second)
					i += 6
				} else {
					r = utf8.RuneError
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, c)
		}
		i += 2
	}
	return out
}

// unit returns the UTF-16 unit of the escape \uXXXX at s[i:], -1 if there is no such escape.
func unit(s string, i int) (unit rune) {
	if i+6 > len(s) || s[i] != '\\' || s[i+1] != 'u' {
		return -1
	}
	for _, c := range []byte(s[i+2 : i+6]) {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		unit = unit<<4 | rune(c)
	}
	return unit
}
