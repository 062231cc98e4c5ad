//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package memory

import (
	"syscall"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Linear is the memory of one instance, outside the Go heap: the whole of what it may grow to is reserved as address
// space, and the kernel backs only what is touched. Growing copies nothing, and the collector neither scans it nor counts
// it. Unmapping it under a running guest would kill the process (faults.md X8); an instance is closed only by the goroutine
// that holds it, between calls.
type Linear struct {
	all      []byte   // the reservation
	target   uint64   // what Reallocate returns while shrink is at work, in bytes + 1; 0 otherwise
	attached bool     // whether the beginning is a private view of the image's file
	entries  []uint64 // scratch for restoreWritten
}

// Allocator returns the allocator in the form that the engine takes from a context.
func (m *Linear) Allocator() experimental.MemoryAllocator {
	return experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
		if most > 0 {
			all, err := syscall.Mmap(-1, 0, int(most), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
			if err == nil {
				m.all = all
			} // else Reallocate fails, and with it the instantiation
		}
		return m
	})
}

// Reallocate implements experimental.LinearMemory.
func (m *Linear) Reallocate(size uint64) []byte {
	if m.target != 0 {
		return m.all[:m.target-1]
	}
	if size > uint64(len(m.all)) {
		return nil
	}
	return m.all[:size]
}

// Free implements experimental.LinearMemory.
func (m *Linear) Free() {
	if m.all != nil {
		_ = syscall.Munmap(m.all)
		m.all = nil
	}
}

// shrink makes the memory smaller again; what is beyond keeps its content. The engine has no call for that, but its Grow takes
// whatever the allocator returns for the memory, and this allocator then returns less. It reports whether that worked; a memory
// at its very maximum cannot Grow, and so not shrink either.
func (m *Linear) shrink(memory api.Memory, pages uint32) bool {
	size := uint64(pages) * PageSize
	if m.all == nil || size > uint64(memory.Size()) {
		return false
	}
	m.target = size + 1
	_, ok := memory.Grow(1)
	m.target = 0
	return ok && uint64(memory.Size()) == size
}
