package rawjson

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Documents repeat each other: an answer has most of its request's bytes, and the objects of a list
// have the same managed fields. Whether a container is valid depends on its own bytes and on the
// room that the limits of depth and of members leave for it, and on nothing else. So a Scanner need
// not read a container that is byte for byte equal to one that a Scanner has passed with no more
// room: a comparison is ten times as fast.

// Known is the place of an object or array that a Scanner has passed.
type Known struct {
	start, end uint32
	levels     uint32 // by the limit of depth, how many levels it may have at most
	members    uint32 // by LimitMembers, how many open members it may have at most
}

const (
	// knownBytes is the size of the smallest container that is recorded. A smaller one is read in
	// the time of a few comparisons.
	knownBytes = 128
	// knownLevels is how many levels of a skipped value are recorded and compared: for managed
	// fields the list, its entries, and the fields of each.
	knownLevels = 3
	// candidates is how many recorded containers a container is compared with. Documents usually
	// have the same containers in the same order, with few of them changed, added or left out.
	candidates = 4
	// mostVain is how many containers in a row may be equal to none of their candidates until the
	// Scanner stops comparing.
	mostVain = 8
)

// known is what a Scanner records, and what it compares its document with.
type known struct {
	recorded []Known
	most     int // of recorded

	doc   []byte  // that the list belongs to
	list  []Known // in the order of doc, outer containers before inner ones
	next  int     // index of the first candidate in list
	vain  int     // how many containers in a row were equal to no candidate
	equal int     // how many containers were equal to one
}

// Record makes the Scanner append to list the larger containers that Skip passes in this document
// from now on, as long as the list has fewer than most. Recorded returns it.
func (s *containers) Record(list []Known, most int) {
	if uint64(len(s.doc)) > math.MaxUint32 {
		most = 0
	}
	s.known.recorded, s.known.most = list, most
}

// Recorded returns the list that Record was called with, and the containers recorded since. After
// an error the list is good for nothing.
func (s *containers) Recorded() []Known { return s.known.recorded }

// Compare makes Skip pass containers that are byte for byte equal to one in the list without
// reading them again. A Scanner has recorded the list while it read doc, which may be this
// document. Both must stay unchanged until the next Compare or Reset; Compare(nil, nil) ends the
// comparisons.
func (s *containers) Compare(doc []byte, list []Known) {
	k := &s.known
	k.doc, k.list, k.next, k.vain, k.equal = doc, list, 0, 0, 0
}

// Equal returns how many containers Skip has passed by comparison since Compare was called.
func (s *containers) Equal() int { return s.known.equal }

// SkipEqual passes the next value without reading it and returns its place, if it has the bytes of
// the object or array known. Otherwise it returns the zero Span and does not move. A Scanner must
// have passed the members or elements of known, at a place with no more room than here.
func (s *Scanner) SkipEqual(known []byte) Span {
	if !s.begin() || !bytes.HasPrefix(s.doc[s.pos:], known) {
		return Span{}
	}
	start := s.pos
	s.pos, s.ready = start+len(known), false
	return Span{start, s.pos}
}

// levels returns how many levels of the next skipped value are recorded or compared.
func (k *known) levels() int {
	if len(k.recorded) < k.most || k.next < len(k.list) {
		return knownLevels
	}
	return 0
}

// passKnown returns the position after the container that begins at pos if it is equal to one of
// the candidates, or -1. No container is the beginning of another, so a comparison finds a
// difference before the end of the container at pos, and all comparisons of a document together
// take linear time.
func (s *containers) passKnown(pos int) int {
	k := &s.known
	if k.next >= len(k.list) || k.vain >= mostVain {
		return -1
	}
	levels, members := s.room(len(s.frames))
	rest := s.doc[pos:]
	for i := k.next; i < min(len(k.list), k.next+candidates); i++ {
		c := &k.list[i]
		was := k.doc[c.start:c.end]
		n := len(was)
		if n > len(rest) || levels < c.levels || members < c.members ||
			binary.LittleEndian.Uint64(rest) != binary.LittleEndian.Uint64(was) ||
			binary.LittleEndian.Uint64(rest[n-8:]) != binary.LittleEndian.Uint64(was[n-8:]) || !bytes.Equal(rest[:n], was) {
			continue
		}
		for k.next = i; k.next < len(k.list) && k.list[k.next].start < c.end; k.next++ {
			k.copyRecord(k.list[k.next], pos-int(c.start))
		}
		k.vain = 0
		k.equal++
		return pos + n
	}
	k.vain++
	return -1
}

// room returns how many levels and open members a container may have that is inside so many others.
func (s *containers) room(depth int) (levels, members uint32) {
	members = math.MaxUint32
	if s.maxKeys > 0 {
		members = uint32(min(uint64(s.maxKeys-len(s.keys.refs)), math.MaxUint32))
	}
	return uint32(min(uint64(s.maxDepth-depth), math.MaxUint32)), members
}

// copyRecord records a container that equals a known one, by bytes behind it.
func (k *known) copyRecord(c Known, by int) {
	if len(k.recorded) < k.most {
		c.start, c.end = uint32(int(c.start)+by), uint32(int(c.end)+by)
		k.recorded = append(k.recorded, c)
	}
}

// beginRecord records the container at pos, which was entered last.
func (s *containers) beginRecord(pos int) {
	k := &s.known
	if len(k.recorded) >= k.most {
		return
	}
	levels, members := s.room(len(s.frames) - 1)
	k.recorded = append(k.recorded, Known{start: uint32(pos), levels: levels, members: members})
	s.frames[len(s.frames)-1].recorded = len(k.recorded)
}

// endRecord completes the record of a container, or takes it back if the container is small. Then
// the containers in it are smaller still, and have been taken back before.
func (s *containers) endRecord(f *frame, end int) {
	list := s.known.recorded
	if c := &list[f.recorded-1]; end-int(c.start) >= knownBytes {
		c.end = uint32(end)
		return
	}
	s.known.recorded = list[:f.recorded-1]
}
