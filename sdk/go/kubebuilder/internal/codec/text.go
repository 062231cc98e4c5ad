package codec

import (
	"runtime"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/internal/quote"
)

const isWasm = runtime.GOARCH == "wasm"

// appendString appends s as a JSON string, escaped as json.Marshal does: <, > and & too.
//
// It writes the string while it looks for bytes to escape, and starts anew with quote.Append if
// there is one. A short string is written as eight bytes, some of them behind its end.
func appendString(dst []byte, s string) []byte {
	const room = 2 + 8 // the quotes, and what is written behind a short string
	n := len(s)
	if cap(dst)-len(dst) < n+room {
		dst = slices.Grow(dst, n+room)
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
			if quote.Specials(w)|quote.SpecialsHTML(w) != 0 {
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
		if quote.Specials(w)|quote.SpecialsHTML(w) != 0 {
			return appendQuoted(dst, s, true)
		}
		*(*uint32)(to), *(*uint32)(unsafe.Add(to, n-4)) = first, last
	case isWasm && uintptr(from)&0xfff <= 0xff8: // eight bytes can be read without a look beyond the page
		w := load(from, 0) & (1<<(8*n) - 1)
		blank := w | 0x7878787878787878<<(8*n) // with x behind the end, which needs no escape
		if quote.Specials(blank)|quote.SpecialsHTML(blank) != 0 {
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

// appendQuoted is appendString for a string with something to escape; html says whether <, > and &
// are escaped, too.
func appendQuoted(dst []byte, s string, html bool) []byte {
	if html {
		return quote.Append(dst, s, quote.Standard|quote.HTML)
	}
	return quote.Append(dst, s, quote.Standard)
}

// word returns eight bytes of a text that has as many, the first of them lowest. The compiler makes
// eight loads of a call of encoding/binary's for wasm.
func word(text string, i int) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.StringData(text)), i))
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
