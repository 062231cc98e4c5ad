package meter

import (
	"fmt"
	"unicode/utf8"
)

// reader decodes a part of a module. It keeps the first error; every later read returns zero
// values, and count and done end loops over them.
type reader struct {
	module  []byte // the whole module, so that offsets are those of the file
	pos     int
	end     int
	section string
	err     *Error
}

func (r *reader) fail(at int, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Section: r.section, Offset: at, Msg: fmt.Sprintf(format, args...)}
	}
	r.pos = r.end
}

func (r *reader) done() bool { return r.pos >= r.end }

func (r *reader) byte() byte {
	if r.pos >= r.end {
		r.fail(r.pos, "ends early")
		return 0
	}
	b := r.module[r.pos]
	r.pos++
	return b
}

// bytes returns the next n bytes, which alias the module.
func (r *reader) bytes(n int) []byte {
	if n < 0 || n > r.end-r.pos {
		r.fail(r.pos, "needs %d bytes and has %d", n, r.end-r.pos)
		return nil
	}
	b := r.module[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return b
}

// u32 reads an unsigned LEB128 number of at most 32 bits.
func (r *reader) u32() uint32 {
	if r.pos < r.end && r.module[r.pos] < 0x80 {
		r.pos++
		return uint32(r.module[r.pos-1])
	}
	at := r.pos
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		if shift == 28 && b > 0x0f {
			break
		}
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.fail(at, "a number does not fit 32 bits")
	return 0
}

// signed reads a signed LEB128 number of at most 32, 33 or 64 bits.
func (r *reader) signed(bits int) int64 {
	at := r.pos
	var v int64
	for shift := 0; shift < bits; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b >= 0x80 {
			continue
		}
		if left := bits - shift; left < 7 { // the last byte's unused bits repeat the sign
			if top := int8(b<<1) >> left; top != 0 && top != -1 {
				break
			}
		}
		if used := shift + 7; used < 64 {
			v = v << (64 - used) >> (64 - used)
		}
		return v
	}
	r.fail(at, "a number does not fit %d bits", bits)
	return 0
}

// count reads the length of a vector, which is at most limit and at most the number of remaining
// bytes.
func (r *reader) count(what string, limit int) int {
	at := r.pos
	n := r.u32()
	switch {
	case int64(n) > int64(limit):
		r.fail(at, "declares %d %s; %d are allowed", n, what, limit)
		return 0
	case int64(n) > int64(r.end-r.pos):
		r.fail(at, "declares %d %s in %d bytes", n, what, r.end-r.pos)
		return 0
	}
	return int(n)
}

// name reads a string of valid UTF-8.
func (r *reader) name(what string) string {
	at := r.pos
	b := r.bytes(r.count("bytes of a name", 10_000))
	if !utf8.Valid(b) {
		r.fail(at, "the name of %s is not UTF-8", what)
		return ""
	}
	return string(b)
}

func (r *reader) valueType() ValueType {
	at := r.pos
	t := ValueType(r.byte())
	if !t.valid() {
		r.fail(at, "0x%02x is not a value type%s", byte(t), featureOfType(byte(t)))
	}
	return t
}

// index reads an index into an index space of so many entries.
func (r *reader) index(what string, entries int) int {
	at := r.pos
	i := r.u32()
	if int64(i) >= int64(entries) {
		r.fail(at, "%s %d does not exist; there are %d", what, i, entries)
		return 0
	}
	return int(i)
}

// limitsPair is the limits of a table or memory.
type limitsPair struct {
	min, max uint32
	hasMax   bool
}

// limits reads the limits of a table or memory. It rejects the flags of threads and 64-bit
// memories.
func (r *reader) limits() limitsPair {
	at := r.pos
	var l limitsPair
	switch flag := r.byte(); flag {
	case 0:
		l.min = r.u32()
	case 1:
		l.min, l.max, l.hasMax = r.u32(), r.u32(), true
		if r.err == nil && l.max < l.min {
			r.fail(at, "the maximum %d is below the minimum %d", l.max, l.min)
		}
	default:
		r.fail(at, "limits of kind 0x%02x: shared and 64-bit memories are not supported", flag)
	}
	return l
}
