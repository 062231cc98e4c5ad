//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package memory

import (
	"syscall"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Linear is the memory of one instance, outside the Go heap. It reserves address space for the
// largest size that the memory may have; the kernel backs only touched pages. Growing copies
// nothing, and the garbage collector neither scans nor counts it. Unmapping it under a running
// guest would kill the process (faults.md X8), so an instance is closed only by the goroutine that
// holds it, between calls.
type Linear struct {
	all      []byte   // the reservation
	target   uint64   // during shrink, the size that Reallocate returns, in bytes + 1; 0 otherwise
	attached bool     // whether the beginning is a private view of the image's file
	reach    int      // the largest size that the memory had at a restore, in bytes
	entries  []uint64 // scratch for findPrivate
	unused   []uint8  // for each page, how many batches in a row left it as it is in the image; see restoreWritten
	watch
}

// Allocator returns the allocator in the form that the engine takes from a context.
func (m *Linear) Allocator() experimental.MemoryAllocator {
	return experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
		if most > 0 {
			all, err := syscall.Mmap(-1, 0, int(most), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
			if err == nil {
				// Huge pages would make pages private that nobody wrote to, without a page fault.
				_ = syscall.Madvise(all, syscall.MADV_NOHUGEPAGE) // fails if the kernel has none
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

// shrink makes the memory smaller; the bytes beyond the new size keep their content. The engine has
// no call for this, but its Grow takes any slice that the allocator returns, and during shrink this
// allocator returns a shorter one. shrink reports whether that worked: a memory at its maximum
// cannot grow, so it cannot shrink either.
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
