package crosswalk

import (
	"unicode/utf8"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/internal/quote"
)

// Quote appends s to dst as a JSON string. Bytes that are not UTF-8 become U+FFFD, as JSON cannot
// carry them.
func Quote(dst []byte, s string) []byte { return quote.Append(dst, s, 0) }

// unquote appends the text of a JSON string to dst; raw is what is between the quotes. Surrogates
// without a partner become U+FFFD.
func unquote(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		c := raw[i]
		if c != '\\' || i+1 == len(raw) {
			dst = append(dst, c)
			i++
			continue
		}
		c = raw[i+1]
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
			r := hex4(raw, i)
			i += 4
			if r >= 0xd800 && r < 0xdc00 && i+1 < len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
				if low := hex4(raw, i+2); low >= 0xdc00 && low < 0xe000 {
					r = 0x10000 + (r-0xd800)<<10 + (low - 0xdc00)
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r) // U+FFFD for a surrogate
			continue
		}
		dst = append(dst, c) // '"', '\\', '/' stand for themselves
	}
	return dst
}

// hex4 returns the value of the four hexadecimal digits at raw[i:], or U+FFFD.
func hex4(raw []byte, i int) rune {
	if i+4 > len(raw) {
		return utf8.RuneError
	}
	var r rune
	for _, c := range raw[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return utf8.RuneError
		}
		r = r<<4 | rune(c)
	}
	return r
}
