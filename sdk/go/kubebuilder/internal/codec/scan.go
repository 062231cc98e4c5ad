package codec

import (
	"errors"
	"math/bits"
	"unicode/utf8"
	"unsafe"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/internal/quote"
)

var errSyntax = errors.New("the text is not JSON")

// at returns byte i of a decoder's text. The zeros behind the text end every search in it, so that
// i needs no check.
func at(data unsafe.Pointer, i int) byte { return *(*byte)(unsafe.Add(data, i)) }

// load returns the eight bytes from byte i of a decoder's text, the first of them lowest.
func load(data unsafe.Pointer, i int) uint64 { return *(*uint64)(unsafe.Add(data, i)) }

// blank goes to the next byte that is not white space.
func (d *decoder) blank() {
	if at(d.data, d.pos) <= ' ' {
		d.pos = pastBlanks(d.data, d.pos)
	}
}

// pastBlanks returns where the next byte is that is not white space.
func pastBlanks(data unsafe.Pointer, i int) int {
	for {
		switch at(data, i) {
		case ' ', '\t', '\r', '\n':
			i++
		default:
			return i
		}
	}
}

// word goes behind w, which must be next.
func (d *decoder) word(w string) error {
	if len(d.text)-d.pos < len(w) || d.text[d.pos:d.pos+len(w)] != w {
		return errSyntax
	}
	d.pos += len(w)
	return nil
}

func (d *decoder) number() (string, error) {
	end := numberEnd(d.text, d.pos)
	if end < 0 {
		return "", errSyntax
	}
	s := d.text[d.pos:end]
	d.pos = end
	return s, nil
}

// string reads a string, which begins at pos. It is a part of the text if it has no escapes and is
// valid UTF-8.
func (d *decoder) string() (string, error) {
	start := d.pos + 1
	end := stop(d.data, start)
	if at(d.data, end) == '"' {
		d.pos = end + 1
		return d.text[start:end], nil
	}
	end, escaped, wide := d.stringEnd(d.pos)
	if end < 0 {
		return "", errSyntax
	}
	d.pos = end
	s := d.text[start : end-1]
	if escaped || wide && !utf8.ValidString(s) {
		return d.unquoted(s), nil
	}
	return s, nil
}

// unquoted returns the text of the inside of a string.
func (d *decoder) unquoted(s string) string {
	if d.slabs {
		if rest := d.set.texts.rest; len(rest) >= 3*len(s) { // a byte that is not UTF-8 becomes three
			out := unquote(rest[:0], s)
			d.set.texts.rest = rest[len(out):]
			return unsafe.String(unsafe.SliceData(out), len(out))
		}
	}
	out := unquote(make([]byte, 0, len(s)+2*utf8.UTFMax), s)
	return unsafe.String(unsafe.SliceData(out), len(out))
}

// stop returns where the next byte is that needs a closer look in a string: a quote, a backslash, a
// control character, a byte beyond ASCII, or the zeros behind the text.
func stop(data unsafe.Pointer, i int) int {
	for {
		if special := quote.Specials(load(data, i)); special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
		i += 8
	}
}

// stringEnd returns the end of the string at i, -1 if there is none.
func (d *decoder) stringEnd(i int) (end int, escaped, wide bool) {
	text := d.text
	for i++; ; i++ {
		if i = stop(d.data, i); i >= len(text) {
			return -1, false, false
		}
		switch c := text[i]; {
		case c == '"':
			return i + 1, escaped, wide
		case c == '\\':
			escaped = true
			if i++; i >= len(text) {
				return -1, false, false
			}
			switch text[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if unit(text, i-1) < 0 {
					return -1, false, false
				}
				i += 4
			default:
				return -1, false, false
			}
		case c < ' ':
			return -1, false, false
		default:
			wide = true
		}
	}
}

// skip goes behind the value at pos, which must be JSON.
func (d *decoder) skip() error {
	end := d.valueEnd(d.pos)
	if end < 0 {
		if d.depth > maxDepth {
			return errTooDeep
		}
		return errSyntax
	}
	d.pos = end
	return nil
}

// valueEnd returns the end of the value at i, -1 if it is not JSON, or too deep.
func (d *decoder) valueEnd(i int) int {
	switch c := at(d.data, i); c {
	case '"':
		end, _, _ := d.stringEnd(i)
		return end
	case '{', '[':
		return d.containerEnd(i)
	case 't', 'f', 'n':
		word := "null"
		switch c {
		case 't':
			word = "true"
		case 'f':
			word = "false"
		}
		if len(d.text)-i < len(word) || d.text[i:i+len(word)] != word {
			return -1
		}
		return i + len(word)
	}
	return numberEnd(d.text, i)
}

// containerEnd is valueEnd for an object or an array. A value that no type has is
// mostly skipped here, so that the usual case, strings without escapes, is written out.
func (d *decoder) containerEnd(i int) int {
	if d.depth++; d.depth > maxDepth {
		return -1
	}
	data := d.data
	object, closing := at(data, i) == '{', at(data, i)+2 // in ASCII
	if i++; at(data, i) <= ' ' {
		i = pastBlanks(data, i)
	}
	if at(data, i) == closing {
		d.depth--
		return i + 1
	}
	for {
		if object {
			if at(data, i) != '"' {
				return -1
			}
			if end := stop(data, i+1); at(data, end) == '"' {
				i = end + 1
			} else if i, _, _ = d.stringEnd(i); i < 0 {
				return -1
			}
			if at(data, i) <= ' ' {
				i = pastBlanks(data, i)
			}
			if at(data, i) != ':' {
				return -1
			}
			if i++; at(data, i) <= ' ' {
				i = pastBlanks(data, i)
			}
		}
		if at(data, i) == '"' {
			if end := stop(data, i+1); at(data, end) == '"' {
				i = end + 1
			} else if i, _, _ = d.stringEnd(i); i < 0 {
				return -1
			}
		} else if i = d.valueEnd(i); i < 0 {
			return -1
		}
		if at(data, i) <= ' ' {
			i = pastBlanks(data, i)
		}
		switch at(data, i) {
		case ',':
			if i++; at(data, i) <= ' ' {
				i = pastBlanks(data, i)
			}
		case closing:
			d.depth--
			return i + 1
		default:
			return -1
		}
	}
}
