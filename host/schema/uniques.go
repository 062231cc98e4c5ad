package schema

import (
	"bytes"
	"hash/maphash"
)

// uniques finds repeated texts. Its memory grows in proportion to the texts, regardless of their
// content. Not for concurrent use.
type uniques struct {
	text  []byte   // all texts, one after the other; the last is the one that was begun
	ends  []int    // where each text ends, that was added
	sums  []uint64 // their hashes
	slots []uint32 // a hash table by open addressing: 1 + index into ends; 0 is free. It is empty as long as there are few texts
	seed  maphash.Seed
}

const (
	// fewTexts is how many are compared one by one, which costs less than a table.
	fewTexts = 8
	// keepText is how many bytes of text, and keepSlots how large a table, it keeps for the next
	// array.
	keepText  = 64 << 10
	keepSlots = 8 << 10
)

func newUniques() *uniques { return &uniques{seed: maphash.MakeSeed()} }

// reset forgets all texts.
func (u *uniques) reset() {
	if cap(u.text) > keepText || cap(u.slots) > keepSlots {
		*u = uniques{seed: u.seed}
	}
	u.text, u.ends, u.sums, u.slots = u.text[:0], u.ends[:0], u.sums[:0], u.slots[:0]
}

// begin begins a text, which the caller appends to u.text. One that was begun before and not added
// is dropped.
func (u *uniques) begin() { u.text = u.text[:u.start(len(u.ends))] }

func (u *uniques) start(i int) int {
	if i == 0 {
		return 0
	}
	return u.ends[i-1]
}

func (u *uniques) get(i int) []byte { return u.text[u.start(i):u.ends[i]] }

// add ends the text. It returns false if it was there before.
func (u *uniques) add() bool {
	text := u.text[u.start(len(u.ends)):]
	sum := maphash.Bytes(u.seed, text)
	if len(u.ends) < fewTexts {
		for i, other := range u.sums {
			if other == sum && bytes.Equal(u.get(i), text) {
				return false
			}
		}
		u.keep(sum)
		return true
	}
	if 2*(len(u.ends)+1) > len(u.slots) {
		u.grow()
	}
	slot := u.find(sum, text)
	if u.slots[slot] != 0 {
		return false
	}
	u.keep(sum)
	u.slots[slot] = uint32(len(u.ends))
	return true
}

func (u *uniques) keep(sum uint64) {
	u.ends, u.sums = append(u.ends, len(u.text)), append(u.sums, sum)
}

// find returns the slot of the text, or the free one where it belongs.
func (u *uniques) find(sum uint64, text []byte) int {
	mask := len(u.slots) - 1
	slot := int(sum) & mask
	for u.slots[slot] != 0 {
		if i := int(u.slots[slot] - 1); u.sums[i] == sum && bytes.Equal(u.get(i), text) {
			break
		}
		slot = (slot + 1) & mask
	}
	return slot
}

// grow makes a table twice as large, with all texts in it.
func (u *uniques) grow() {
	u.slots = make([]uint32, max(2*len(u.slots), 4*fewTexts))
	mask := len(u.slots) - 1
	for i, sum := range u.sums {
		slot := int(sum) & mask
		for u.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		u.slots[slot] = uint32(i + 1)
	}
}

// uniquesPool lends uniques. Those that are borrowed must be given back in the reverse order.
type uniquesPool struct {
	all []*uniques
	out int // how many of them are borrowed
}

// borrow returns an empty one.
func (p *uniquesPool) borrow() *uniques {
	if p.out == len(p.all) {
		p.all = append(p.all, newUniques())
	}
	u := p.all[p.out]
	u.reset()
	p.out++
	return u
}

// giveBack takes the one that was borrowed last.
func (p *uniquesPool) giveBack() { p.out-- }
