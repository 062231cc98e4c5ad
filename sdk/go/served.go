package crosswalk

import (
	"slices"
	"strconv"
)

// appendServed appends the value n as an API server sends it to the next conversion: without white
// space, with the members of each object sorted by their keys, and with each number as
// appendServedNumber writes it.
func (d *document) appendServed(dst []byte, n int32) []byte {
	switch d.kind(n) {
	case '{':
		type member struct {
			key string
			n   int32
		}
		var members []member
		for c := d.after(n, 0); c != 0; c = d.after(n, c) {
			members = append(members, member{d.keyOf(c), c})
		}
		slices.SortFunc(members, func(a, b member) int {
			switch {
			case a.key < b.key:
				return -1
			case a.key > b.key:
				return 1
			}
			return 0
		})
		dst = append(dst, '{')
		for _, m := range members {
			dst = append(append(separated(dst), d.keyText(m.n)...), ':')
			dst = d.appendServed(dst, m.n)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for c := d.after(n, 0); c != 0; c = d.after(n, c) {
			dst = d.appendServed(separated(dst), c)
		}
		return append(dst, ']')
	case '"', 't', 'f', 'n':
		return append(dst, d.raw(n)...)
	}
	return appendServedNumber(dst, d.raw(n))
}

// appendServedNumber appends a number as an API server writes it: an integer of 64 bits as it is,
// every other number as the shortest text of the nearest float64, and -0 as 0. A number beyond
// float64, which the gateway refuses, stays as it is.
func appendServedNumber(dst, text []byte) []byte {
	if _, err := strconv.ParseInt(string(text), 10, 64); err == nil && string(text) != "-0" {
		return append(dst, text...)
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return append(dst, text...)
	}
	if f == 0 {
		return append(dst, '0')
	}
	if size := max(f, -f); size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if end := len(dst) - 2; dst[end] == '0' && dst[end-1] == '-' { // 1e-07
		dst = append(dst[:end], dst[end+1])
	}
	return dst
}
