package crosswalk

import "math/bits"

// The scanner reads JSON eight bytes at a time, in plain integer registers (SWAR): Go has no vector
// instructions in WebAssembly, and every branch is expensive. It expects valid JSON, which the
// gateway guarantees. For other input it returns wrong positions or -1, but never reads outside the
// slice and always ends.

const (
	lowBits  = 0x7f7f7f7f7f7f7f7f
	topBits  = 0x8080808080808080
	eachByte = 0x0101010101010101

	quotes      = '"' * eachByte
	backslashes = '\\' * eachByte
	caseBits    = 0x20 * eachByte // '[' | 0x20 = '{', ']' | 0x20 = '}'
	opens       = '{' * eachByte
	closes      = '}' * eachByte
)

// load returns the eight bytes at b[i:], the first in the lowest bits.
func load(b []byte, i int) uint64 {
	b = b[i : i+8 : len(b)]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// matches has the top bit of each byte set where w and pattern have the same byte, and no other
// bits.
func matches(w, pattern uint64) uint64 {
	x := w ^ pattern
	return ^(x&lowBits + lowBits | x) & topBits
}

// skipSpace returns the position of the first byte from i on that is not white space, or len(b).
func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	return i
}

// stringEnd returns the position after the closing quote of the string whose first character is
// b[i], or -1, and whether the string has escapes.
func stringEnd(b []byte, i int) (end int, escaped bool) {
	for i+8 <= len(b) {
		w := load(b, i)
		m := matches(w, quotes) | matches(w, backslashes)
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		if b[i] == '"' {
			return i + 1, escaped
		}
		escaped = true
		i += 2
	}
	for i < len(b) {
		switch b[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			escaped = true
			i++
		}
		i++
	}
	return -1, escaped
}

// containerEnd returns the position after the bracket that closes the object or array which opens
// at b[i], or -1. It reads 32 bytes at a time, because one loop iteration costs about as much as
// the work on one word.
func containerEnd(b []byte, i int) int {
	depth := 0
	inside := uint64(0)  // all ones when b[i] is inside a string, else 0
	escaped := uint64(0) // 0x80 when b[i] follows a backslash, else 0
	for i+32 <= len(b) {
		w0, w1, w2, w3 := load(b, i), load(b, i+8), load(b, i+16), load(b, i+24)
		s0, s1, s2, s3 := matches(w0, backslashes), matches(w1, backslashes), matches(w2, backslashes), matches(w3, backslashes)
		e0, e1, e2, e3 := s0<<8|escaped, s1<<8|s0>>56, s2<<8|s1>>56, s3<<8|s2>>56
		if s0&e0|s1&e1|s2&e2|s3&e3 != 0 {
			// Two backslashes in a row are rare in Kubernetes objects: take some bytes one at a
			// time.
			i, depth, inside = containerBytes(b, i+int(escaped>>7), i+32, depth, inside)
			if depth == 0 {
				return i
			}
			escaped = 0
			continue
		}
		escaped = s3 >> 56
		q0 := quoted(matches(w0, quotes)&^e0, inside)
		q1 := quoted(matches(w1, quotes)&^e1, spread(q0))
		q2 := quoted(matches(w2, quotes)&^e2, spread(q1))
		q3 := quoted(matches(w3, quotes)&^e3, spread(q2))
		inside = spread(q3)
		w0, w1, w2, w3 = w0|caseBits, w1|caseBits, w2|caseBits, w3|caseBits
		// The marks are in the top bits of bytes: those of the other words fit in beside them.
		open := matches(w0, opens)&^q0 | matches(w1, opens)&^q1>>1 | matches(w2, opens)&^q2>>2 | matches(w3, opens)&^q3>>3
		closed := matches(w0, closes)&^q0 | matches(w1, closes)&^q1>>1 | matches(w2, closes)&^q2>>2 | matches(w3, closes)&^q3>>3
		n := bits.OnesCount64(closed)
		if n < depth || open|closed == 0 {
			depth += bits.OnesCount64(open) - n
			i += 32
			continue
		}
		// The end may be in here: go from bracket to bracket.
		for range 4 {
			for m := (open | closed) & topBits; m != 0; m &= m - 1 {
				if at := m & -m; open&at != 0 {
					depth++
				} else if depth--; depth == 0 {
					return i + bits.TrailingZeros64(at)>>3 + 1
				}
			}
			open, closed = open<<1, closed<<1
			i += 8
		}
	}
	i, depth, _ = containerBytes(b, i+int(escaped>>7), len(b), depth, inside)
	if depth != 0 {
		return -1
	}
	return i
}

// quoted marks the bytes inside strings, given the quotes in a word and the state before it: a byte
// is inside a string if an odd number of quotes precede it.
func quoted(q, inside uint64) uint64 {
	q ^= q << 8
	q ^= q << 16
	q ^= q << 32
	return q ^ inside&topBits
}

// spread returns all ones if the last byte of a word is marked, else 0.
func spread(marks uint64) uint64 { return uint64(int64(marks) >> 63) }

// containerBytes does the work of containerEnd for b[i:to], byte by byte. It returns the position
// to continue from, at or after to, and the state there. If depth is 0, end is the result of
// containerEnd.
func containerBytes(b []byte, i, to, depth int, inside uint64) (end, newDepth int, newInside uint64) {
	for ; i < to && i < len(b); i++ {
		switch c := b[i]; {
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
	return i, depth, inside
}

// valueEnd returns the position after the JSON value that starts at b[i], or -1.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		end, _ := stringEnd(b, i+1)
		return end
	case '{', '[':
		return containerEnd(b, i)
	}
	start := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}
