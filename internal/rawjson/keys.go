package rawjson

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
)

// smallObject is the number of keys from which an object gets a hash table. Below it, comparing a
// new key with the similar signatures costs less than hashing.
const smallObject = 32

// keys holds the keys of all open objects, to find duplicates. Objects nest, so each store is a
// stack: the part of the innermost object is at its end, and is dropped when the object ends.
type keys struct {
	refs   []keyRef
	arena  []byte   // the text of keys that have escapes
	slots  []uint32 // hash tables by open addressing: 1 + index into the object's part of refs; 0 is free
	seed   maphash.Seed
	seeded bool
}

// members is the part of the stores that belongs to one object.
type members struct {
	seen               uint64 // bit i is set if a key's signature begins with the six bits of i; in small objects only
	refs, arena, slots int    // where its part begins
}

// keyRef is one key of an open object.
type keyRef struct {
	sum        uint64 // signature in a small object, hash in a larger one
	start, end int    // of the text: in the document, or in the arena if start is negative, as ^start and end
}

func (k *keys) reset() {
	k.refs, k.arena, k.slots = shrink(k.refs, keepKeys), shrink(k.arena, keepText), shrink(k.slots, keepSlots)
}

// open begins the part of an object.
func (k *keys) open() members {
	return members{refs: len(k.refs), arena: len(k.arena), slots: len(k.slots)}
}

// close drops the part of the object, which is the innermost one.
func (k *keys) close(m *members) {
	k.refs, k.arena, k.slots = k.refs[:m.refs], k.arena[:m.arena], k.slots[:m.slots]
}

// last returns the text of the key added last, with no room to append to it.
func (k *keys) last(doc []byte) []byte { return slices.Clip(k.text(doc, &k.refs[len(k.refs)-1])) }

func (k *keys) text(doc []byte, r *keyRef) []byte {
	if r.start < 0 {
		return k.arena[^r.start:r.end]
	}
	return doc[r.start:r.end]
}

// add adds the key doc[start:end] to the innermost object. It returns false if the object has it
// already.
func (k *keys) add(m *members, doc []byte, start, end int, escaped bool) bool {
	text := doc[start:end]
	if escaped {
		from := len(k.arena)
		k.arena = unescape(k.arena, text)
		text = k.arena[from:]
		start, end = ^from, len(k.arena)
	}
	n := len(k.refs) - m.refs
	if n >= smallObject {
		return k.addHashed(m, doc, text, keyRef{start: start, end: end})
	}
	sum := signature(text)
	bit := uint64(1) << (sum >> 58)
	fresh := m.seen&bit == 0 || !k.has(m, doc, text, sum)
	m.seen |= bit
	k.refs = append(k.refs, keyRef{sum, start, end})
	return fresh
}

// has looks the key up among those of a small object.
func (k *keys) has(m *members, doc, text []byte, sum uint64) bool {
	refs := k.refs[m.refs:]
	for i := range refs {
		if r := &refs[i]; r.sum == sum && bytes.Equal(k.text(doc, r), text) {
			return true
		}
	}
	return false
}

// addHashed is add for an object of smallObject keys or more. The author of a document cannot
// foresee the seed, and so cannot choose keys that collide.
func (k *keys) addHashed(m *members, doc, text []byte, r keyRef) bool {
	if len(k.slots) == m.slots {
		if !k.seeded {
			k.seed, k.seeded = maphash.MakeSeed(), true
		}
		for i := m.refs; i < len(k.refs); i++ {
			k.refs[i].sum = maphash.Bytes(k.seed, k.text(doc, &k.refs[i]))
		}
	}
	if size := len(k.slots) - m.slots; 2*(len(k.refs)-m.refs+1) > size {
		k.grow(m, max(2*size, 4*smallObject))
	}
	r.sum = maphash.Bytes(k.seed, text)
	table, refs := k.slots[m.slots:], k.refs[m.refs:]
	mask := uint64(len(table) - 1)
	i := r.sum & mask
	for ; table[i] != 0; i = (i + 1) & mask {
		if have := &refs[table[i]-1]; have.sum == r.sum && bytes.Equal(k.text(doc, have), text) {
			k.refs = append(k.refs, r)
			return false
		}
	}
	k.refs = append(k.refs, r)
	table[i] = uint32(len(refs) + 1)
	return true
}

// grow gives the innermost object a table of size slots, a power of two, with all its keys in it.
func (k *keys) grow(m *members, size int) {
	for cap(k.slots) < m.slots+size {
		k.slots = append(k.slots[:cap(k.slots)], 0)
	}
	k.slots = k.slots[:m.slots+size]
	table := k.slots[m.slots:]
	clear(table)
	mask := uint64(size - 1)
	for n, r := range k.refs[m.refs:] {
		i := r.sum & mask
		for table[i] != 0 {
			i = (i + 1) & mask
		}
		table[i] = uint32(n + 1)
	}
}

// signature mixes the length of the key with its first and last eight bytes. Equal keys have equal
// signatures; different keys mostly have different ones.
func signature(key []byte) uint64 {
	const golden = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio: spreads adjacent values over the upper bits
	n := len(key)
	if n >= 8 {
		return (binary.LittleEndian.Uint64(key) + bits.RotateLeft64(binary.LittleEndian.Uint64(key[n-8:]), 29) + uint64(n)) * golden
	}
	var word uint64
	if cap(key) >= 8 { // the bytes after the key are read too, and shifted out
		word = binary.LittleEndian.Uint64(key[:8]) << (64 - 8*n)
	} else {
		for _, c := range key {
			word = word>>8 | uint64(c)<<56
		}
	}
	return (bits.RotateLeft64(word, 29) + uint64(n)) * golden
}

// The most memory that a Scanner keeps between documents: 384 KiB of keyRefs, their tables, and as
// much text with escapes. That is many times the need of one object, and little beside the document
// buffers of the gateway.
const (
	keepKeys  = 16 << 10
	keepSlots = 4 * keepKeys
	keepText  = 256 << 10
)

// shrink empties the store, and frees one that grew beyond keep, so that a rare document does not
// occupy memory for ever.
func shrink[T any](store []T, keep int) []T {
	if cap(store) > keep {
		return nil
	}
	return store[:0]
}
