package codec

import (
	"math/bits"
	"runtime"
	"slices"
	"unicode/utf8"
	"unsafe"
)

const isWasm = runtime.GOARCH == "wasm"

const hex = "0123456789abcdef"

// appendString appends s as a JSON string, escaped as json.Marshal does: <, > and & too.
func appendString(dst []byte, s string) []byte {
	n := len(s)
	if cap(dst)-len(dst) < n+10 {
		dst = slices.Grow(dst, n+10)
	}
	from, to := unsafe.Pointer(unsafe.StringData(s)), unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), len(dst))
	*(*byte)(to) = '"'
	to = unsafe.Add(to, 1)
	switch {
	case n >= 8: // eight bytes at a time, and the last eight once more
		for i := 0; ; i += 8 {
			if i > n-8 {
				i = n - 8
			}
			w := load(from, i)
			if specials(w)|specialsHTML(w) != 0 {
				return appendQuoted(dst, s, true)
			}
			*(*uint64)(unsafe.Add(to, i)) = w
			if i == n-8 {
				break
			}
		}
	case n >= 4 && !isWasm:
		first, last := *(*uint32)(from), *(*uint32)(unsafe.Add(from, n-4))
		w := uint64(first) | uint64(last)<<32
		if specials(w)|specialsHTML(w) != 0 {
			return appendQuoted(dst, s, true)
		}
		*(*uint32)(to), *(*uint32)(unsafe.Add(to, n-4)) = first, last
	case isWasm && uintptr(from)&0xfff <= 0xff8: // eight bytes can be read without a look beyond the page
		w := load(from, 0) & (1<<(8*n) - 1)
		blank := w | ones*'x'<<(8*n) // nothing special behind the end
		if specials(blank)|specialsHTML(blank) != 0 {
			return appendQuoted(dst, s, true)
		}
		*(*uint64)(to) = w
	default:
		for i := range n {
			b := *(*byte)(unsafe.Add(from, i))
			if b < ' ' || b >= utf8.RuneSelf || b == '"' || b == '\\' || b == '<' || b == '>' || b == '&' {
				return appendQuoted(dst, s, true)
			}
			*(*byte)(unsafe.Add(to, i)) = b
		}
	}
	*(*byte)(unsafe.Add(to, n)) = '"'
	return dst[:len(dst)+n+2]
}

func appendQuoted(dst []byte, s string, html bool) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			w := word(s, i)
			special := specials(w)
			if html {
				special |= specialsHTML(w)
			}
			if special == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(special) / 8
		}
		b := s[i]
		if b < utf8.RuneSelf {
			if b >= ' ' && b != '"' && b != '\\' && (!html || b != '<' && b != '>' && b != '&') {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			switch b {
			case '\\', '"':
				dst = append(dst, '\\', b)
			case '\b':
				dst = append(dst, '\\', 'b')
			case '\f':
				dst = append(dst, '\\', 'f')
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&0xf])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, s[start:i]...), `\ufffd`...)
			start = i + size
		case r == '\u2028' || r == '\u2029':
			dst = append(append(dst, s[start:i]...), '\\', 'u', '2', '0', '2', hex[r&0xf])
			start = i + size
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}

// word returns eight bytes of a text that has as many, the first of them lowest. The compiler makes
// eight loads of a call of encoding/binary's for wasm.
func word(text string, i int) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.StringData(text)), i))
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// specials has the high bit of the first byte that is a quote, a backslash, a control character or
// beyond ASCII; 0 if there is none. An exclusive or makes a byte that is looked for zero, and
// subtracting one from each byte then borrows into its high bit. Bits of bytes behind the first may
// be wrong.
func specials(w uint64) uint64 {
	quote, slash := w^(ones*'"'), w^(ones*'\\')
	return (w | (w - ones*' ') | (quote - ones) | (slash - ones)) & highs
}

// specialsHTML is specials for <, > and &. The first two differ in one bit.
func specialsHTML(w uint64) uint64 {
	angle, and := (w|ones*2)^(ones*'>'), w^(ones*'&')
	return ((angle - ones) | (and - ones)) & highs
}

// numberEnd returns where the JSON number at s[i:] ends, -1 if there is none.
func numberEnd(s string, i int) int {
	digits := func() bool {
		start := i
		for i < len(s) && s[i]-'0' <= 9 {
			i++
		}
		return i > start
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if !digits() {
		return -1
	}
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() {
			return -1
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return -1
		}
	}
	return i
}
