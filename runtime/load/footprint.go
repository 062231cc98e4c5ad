package load

import (
	"fmt"
	"sync"
)

// loadedMemory bounds the memory that the modules of one Loader hold for as long as they are
// loaded, whether they work or not. A file of 200 bytes can ask for much of it: by filling its
// initial memory, or by code that compiles to many times its size. So neither the size nor the
// number of files bounds it. It is safe for concurrent use; a nil *loadedMemory has no bound.
type loadedMemory struct {
	owner string // empty without owners
	most  int64

	mu   sync.Mutex
	used int64
}

// ownersMemory divides the memory of the modules of one Loader: each owner has an equal part. It is
// safe for concurrent use; a nil *ownersMemory has no bound.
type ownersMemory struct {
	part int64

	mu     sync.Mutex
	owners map[string]*loadedMemory
}

func newOwnersMemory(most int64, owners int) *ownersMemory {
	return &ownersMemory{part: most / int64(max(owners, 1)), owners: map[string]*loadedMemory{}}
}

// of returns the memory of an owner. There are as many owners as the operator names.
func (m *ownersMemory) of(owner string) *loadedMemory {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.owners[owner] == nil {
		m.owners[owner] = &loadedMemory{owner: owner, most: m.part}
	}
	return m.owners[owner]
}

const (
	// perModule is what a module holds beyond its bytes: runtime, pool and metrics, measured as
	// 0.5 MiB by BenchmarkFootprint.
	perModule = 512 << 10
	// perPart is what the engine keeps for a function, a segment or an element: the largest of
	// its structures has 120 bytes.
	perPart = 128
	// codeUnknown is how many bytes of code a byte of a module is taken for if the code is not in a
	// file. Zig's has 5.5.
	codeUnknown = 6
)

// take counts bytes more of a module that has some already. The error is a noRoom.
func (l *loadedMemory) take(has, bytes int64) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used+bytes > l.most {
		return noRoom{l.owner, has + bytes, l.used - has, l.most}
	}
	l.used += bytes
	return nil
}

// noRoom is the error for a module that does not fit beside those that are loaded. Its fields are
// bytes, beside the owner whose share it is.
type noRoom struct {
	owner             string
	needs, used, most int64
}

func (e noRoom) Error() string {
	if e.owner != "" {
		return fmt.Sprintf("it takes %d MiB of memory for its code and its initial memory, and the loaded modules of owner %s have %d MiB of at most %d, its share of --max-loaded-bytes: shrink it, take other modules of the owner out of service, or raise the limit",
			toMiB(e.needs), e.owner, toMiB(e.used), toMiB(e.most))
	}
	return fmt.Sprintf("it takes %d MiB of memory for its code and its initial memory, and the loaded modules have %d MiB of at most %d (--max-loaded-bytes): shrink it, take other modules out of service, or raise the limit",
		toMiB(e.needs), toMiB(e.used), toMiB(e.most))
}

// giveBack ends the count of bytes.
func (l *loadedMemory) giveBack(bytes int64) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used -= bytes
}

// toMiB rounds up.
func toMiB(bytes int64) int64 { return (bytes + 1<<20 - 1) >> 20 }

// footprint is the memory that one module holds until it is closed. Only the goroutine that loads
// the module calls Hold.
type footprint struct {
	of    *loadedMemory
	bytes int64
}

// Hold implements module.Footprint. The error is a noRoom.
func (f *footprint) Hold(bytes int64) error {
	if err := f.of.take(f.bytes, bytes); err != nil {
		return err
	}
	f.bytes += bytes
	return nil
}

// Free implements module.Footprint.
func (f *footprint) Free() {
	f.of.giveBack(f.bytes)
	f.bytes = 0
}

// loadedBytes is what a rewritten module of so many bytes and parts takes, with its code.
func loadedBytes(wasm, parts int, code *codeFile) int64 {
	compiled := int64(codeUnknown * wasm)
	if code != nil && code.most == 0 {
		if size, err := code.size(); err == nil {
			compiled = size
		}
	}
	return perModule + int64(wasm) + perPart*int64(parts) + compiled
}
