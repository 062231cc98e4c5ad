package module

import (
	"encoding/binary"
	"time"
)

// A conversion is a pure function of its input and the module's bytes. The clock and the random
// source of WASI are therefore the same on every run: the clock starts at a fixed time and advances
// at every read, the random bytes are one fixed sequence. Both restart with every batch, so that
// the answers do not depend on earlier batches either.

// epoch is the start of every guest's clock: 2022-01-01T00:00:00Z, the engine's default, and later
// than any date that a program takes for an unset clock.
var epoch = time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC)

// tick is the step of the clock at each read; a guest that waits for time to pass continues.
const tick = time.Millisecond

// fixedSources are the clock and the random source of one instance. They belong to the goroutine
// that holds the instance.
type fixedSources struct {
	looks uint64
	draws uint64
}

func (s *fixedSources) reset() { *s = fixedSources{} }

// Walltime implements wasi.Host.
func (s *fixedSources) Walltime() int64 {
	s.looks++
	return epoch.Add(time.Duration(s.looks) * tick).UnixNano()
}

// Nanotime implements wasi.Host.
func (s *fixedSources) Nanotime() int64 {
	s.looks++
	return int64(s.looks) * int64(tick)
}

// Random fills b from the fixed sequence of splitmix64 (Steele, Lea and Flood, 2014), which is good
// enough to seed a hash table and not secret.
func (s *fixedSources) Random(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, s.draw())
	}
	if len(b) > 0 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], s.draw())
		copy(b, word[:])
	}
}

func (s *fixedSources) draw() uint64 {
	s.draws++
	z := s.draws * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
