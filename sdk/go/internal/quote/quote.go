// Package quote writes JSON strings: for the SDK, and for the codec of Go types, which follows
// encoding/json.
package quote

import (
	"math/bits"
	"unicode/utf8"
	"unsafe"
)

// Style says which characters are escaped beside those that JSON requires, and how.
type Style uint8

const (
	// Standard is encoding/json's: it escapes the separators U+2028 and U+2029, and has short
	// escapes for the backspace and the form feed.
	Standard Style = 1 << iota
	// HTML escapes <, > and &.
	HTML
)

const hex = "0123456789abcdef"

// Append appends s to dst as a JSON string. Bytes that are not UTF-8 become U+FFFD: as an escape in
// the style Standard.
func Append(dst []byte, s string, style Style) []byte {
	dst = append(dst, '"')
	start := 0 // s[start:i] needs no escapes
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			w := *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))
			special := Specials(w)
			if style&HTML != 0 {
				special |= SpecialsHTML(w)
			}
			if special == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(special) / 8
		}
		b := s[i]
		if b < utf8.RuneSelf {
			if b < ' ' || b == '"' || b == '\\' || style&HTML != 0 && (b == '<' || b == '>' || b == '&') {
				dst = AppendEscape(append(dst, s[start:i]...), b, style)
				start = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, s[start:i]...)
			if style&Standard != 0 {
				dst = append(dst, `\ufffd`...)
			} else {
				dst = utf8.AppendRune(dst, utf8.RuneError)
			}
			start = i + size
		case style&Standard != 0 && (r == '\u2028' || r == '\u2029'):
			dst = append(append(dst, s[start:i]...), '\\', 'u', '2', '0', '2', hex[r&0xf])
			start = i + size
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}

// AppendEscape appends the escape of an ASCII character.
func AppendEscape(dst []byte, b byte, style Style) []byte {
	short := byte(0)
	switch b {
	case '\\', '"':
		short = b
	case '\n':
		short = 'n'
	case '\r':
		short = 'r'
	case '\t':
		short = 't'
	}
	if style&Standard != 0 {
		switch b {
		case '\b':
			short = 'b'
		case '\f':
			short = 'f'
		}
	}
	if short != 0 {
		return append(dst, '\\', short)
	}
	return append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&0xf])
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Specials has the high bit of the first byte that is a quote, a backslash, a control character or
// beyond ASCII; 0 if there is none. An exclusive or makes a byte that is looked for zero, and
// subtracting one from each byte then borrows into its high bit. Bits of bytes behind the first may
// be wrong.
func Specials(w uint64) uint64 {
	quote, slash := w^(ones*'"'), w^(ones*'\\')
	return (w | (w - ones*' ') | (quote - ones) | (slash - ones)) & highs
}

// SpecialsHTML is Specials for <, > and &. The first two differ in one bit.
func SpecialsHTML(w uint64) uint64 {
	angle, and := (w|ones*2)^(ones*'>'), w^(ones*'&')
	return ((angle - ones) | (and - ones)) & highs
}
