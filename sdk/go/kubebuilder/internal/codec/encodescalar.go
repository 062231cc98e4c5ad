package codec

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/internal/quote"
)

func (p *plan) int(v unsafe.Pointer) int64 {
	switch p.bits {
	case 8:
		return int64(*(*int8)(v))
	case 16:
		return int64(*(*int16)(v))
	case 32:
		return int64(*(*int32)(v))
	}
	return *(*int64)(v)
}

func (p *plan) uint(v unsafe.Pointer) uint64 {
	switch p.bits {
	case 8:
		return uint64(*(*uint8)(v))
	case 16:
		return uint64(*(*uint16)(v))
	case 32:
		return uint64(*(*uint32)(v))
	}
	return *(*uint64)(v)
}

func (p *plan) float(v unsafe.Pointer) float64 {
	if p.bits == 32 {
		return float64(*(*float32)(v))
	}
	return *(*float64)(v)
}

// appendFloat writes numbers as ECMAScript does, which encoding/json follows: with an exponent only
// below 1e-6 and from 1e21.
func (p *plan) appendFloat(dst []byte, v unsafe.Pointer) ([]byte, error) {
	f := p.float(v)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return dst, fmt.Errorf("json: unsupported value: %s", strconv.FormatFloat(f, 'g', -1, p.bits))
	}
	abs, format := math.Abs(f), byte('f')
	if abs != 0 && (p.bits == 64 && (abs < 1e-6 || abs >= 1e21) || p.bits == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21)) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, p.bits)
	if n := len(dst); format == 'e' && n >= 4 && string(dst[n-4:n-1]) == "e-0" {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst, nil
}

func appendNumber(dst []byte, s string) ([]byte, error) {
	if s == "" {
		s = "0"
	}
	if n := numberEnd(s, 0); n != len(s) {
		return dst, fmt.Errorf("json: invalid number literal %q", s)
	}
	return append(dst, s...), nil
}

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

// appendCompact appends JSON text without blanks, with <, > and & and the two line separators
// escaped, as json.Marshal does with the result of a MarshalJSON.
func appendCompact(dst, text []byte) ([]byte, error) {
	d := decoderOf(nil, padded(text))
	d.blank()
	if err := d.skip(); err != nil {
		return dst, err
	}
	if d.blank(); d.pos != len(d.text) {
		return dst, errSyntax
	}
	start, quoted := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == '<' || c == '>' || c == '&':
			dst = quote.AppendEscape(append(dst, text[start:i]...), c, quote.Standard)
			start = i + 1
		case c == 0xe2 && i+2 < len(text) && text[i+1] == 0x80 && text[i+2]&^1 == 0xa8:
			dst = append(append(dst, text[start:i]...), '\\', 'u', '2', '0', '2', '0'+text[i+2]&0xf)
			start = i + 3
			i += 2
		case !quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			dst = append(dst, text[start:i]...)
			start = i + 1
		}
	}
	return append(dst, text[start:]...), nil
}
