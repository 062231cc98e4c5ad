package crosswalk

import "strconv"

// The hash of the stash (docs/spec/stash.md) has 64 bits. It does not depend on the order of members,
// white space, escapes or the spelling of numbers, because an API server may change all of these.
// It detects changes and is not a security measure.

const (
	fnvBasis = 0xcbf29ce484222325
	fnvPrime = 0x100000001b3
)

// fnv is FNV-1a with 64 bits.
type fnv uint64

func (h fnv) byte(b byte) fnv { return (h ^ fnv(b)) * fnvPrime }

func (h fnv) bytes(b []byte) fnv {
	for _, c := range b {
		h = h.byte(c)
	}
	return h
}

// word adds the eight bytes of w, the lowest first.
func (h fnv) word(w uint64) fnv {
	for range 8 {
		h = h.byte(byte(w))
		w >>= 8
	}
	return h
}

// sum spreads every bit of h over the whole result, because member hashes are added, and FNV alone
// is too regular for a sum.
func (h fnv) sum() uint64 {
	x := uint64(h)
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// hashNull is the hash of null and of an absent value.
func hashNull() uint64 { return fnv(fnvBasis).byte('n').sum() }

// hash returns the hash of the value n, -1 for one that is absent.
func (d *document) hash(n int32) uint64 {
	h := fnv(fnvBasis)
	if n < 0 {
		return hashNull()
	}
	switch (Value{d, n}).Type() {
	case TypeObject:
		return d.hashMembers(n, func(int32) bool { return true })
	case TypeArray:
		h = h.byte('a')
		for c := d.after(n, 0); c != 0; c = d.after(n, c) {
			h = h.word(d.hash(c))
		}
	case TypeString:
		h = hashString(h.byte('s'), d.raw(n))
	case TypeNumber:
		h = hashNumber(h.byte('d'), d.raw(n))
	case TypeBool:
		h = h.byte(d.kind(n))
	default:
		return hashNull()
	}
	return h.sum()
}

// hashMembers returns the hash of the object n as if it had only the members that count.
func (d *document) hashMembers(n int32, counts func(member int32) bool) uint64 {
	var members uint64
	for c := d.after(n, 0); c != 0; c = d.after(n, c) {
		if d.kind(c) != 'n' && counts(c) {
			members += hashString(fnv(fnvBasis).byte('m').word(d.hash(c)), d.keyText(c)).sum()
		}
	}
	return fnv(fnvBasis).byte('o').word(members).sum()
}

// hashString adds the UTF-8 of a quoted string.
func hashString(h fnv, quoted []byte) fnv {
	if len(quoted) < 2 {
		return h
	}
	inner := quoted[1 : len(quoted)-1]
	for i, c := range inner {
		if c == '\\' {
			return h.bytes(inner[:i]).bytes(unquote(make([]byte, 0, len(inner)), inner[i:]))
		}
	}
	return h.bytes(inner)
}

// hashNumber adds a number in the normal form of what an API server makes of it: "0", or the
// significant digits, "e" and the power of ten. 1000, 1e3 and 1000.0 thus have the same hash.
func hashNumber(h fnv, text []byte) fnv {
	text = appendServedNumber(make([]byte, 0, 32), text)
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	digits := make([]byte, 0, len(text))
	exponent, fraction := int64(0), false
	for i, c := range text {
		if c|0x20 == 'e' {
			power, _ := strconv.ParseInt(string(text[i+1:]), 10, 32) // beyond 32 bits a number is 0 or refused by the gateway
			exponent += power
			break
		}
		if c == '.' {
			fraction = true
			continue
		}
		if fraction {
			exponent--
		}
		if c != '0' || len(digits) > 0 {
			digits = append(digits, c)
		}
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		exponent++
	}
	if len(digits) == 0 {
		return h.byte('0')
	}
	if negative {
		h = h.byte('-')
	}
	return h.bytes(strconv.AppendInt(append(digits, 'e'), exponent, 10))
}
