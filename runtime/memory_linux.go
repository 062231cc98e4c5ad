//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package runtime

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// linearMemory is the memory of one instance, outside the Go heap: the whole of what it may grow to is reserved as address
// space, and the kernel backs only what is touched. Growing copies nothing, and the collector neither scans it nor counts
// it. Unmapping it under a running guest would kill the process (faults.md X8); an instance is closed only by the goroutine
// that holds it, between calls.
type linearMemory struct {
	all      []byte // the reservation
	target   uint64 // what Reallocate returns while shrink is at work, in bytes + 1; 0 otherwise
	attached bool   // whether the beginning is a private view of the image's file
}

// context-carried form of the allocator, as the engine wants it.
func (m *linearMemory) allocator() experimental.MemoryAllocator {
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
func (m *linearMemory) Reallocate(size uint64) []byte {
	if m.target != 0 {
		return m.all[:m.target-1]
	}
	if size > uint64(len(m.all)) {
		return nil
	}
	return m.all[:size]
}

// Free implements experimental.LinearMemory.
func (m *linearMemory) Free() {
	if m.all != nil {
		_ = syscall.Munmap(m.all)
		m.all = nil
	}
}

// shrink makes the memory smaller again. The engine has no call for that, but its Grow takes whatever the allocator returns
// for the memory, and this allocator then returns less. It reports whether that worked; a memory at its very maximum cannot
// Grow, and so not shrink either.
func (m *linearMemory) shrink(memory api.Memory, pages uint32) bool {
	old, size := uint64(memory.Size()), uint64(pages)*pageSize
	if m.all == nil || size > old {
		return false
	}
	m.target = size + 1
	_, ok := memory.Grow(1)
	m.target = 0
	return ok && uint64(memory.Size()) == size && syscall.Madvise(m.all[size:old], syscall.MADV_DONTNEED) == nil
}

// restore brings the memory, which has the image's size, to what the image holds. A small image is copied. A large one is a
// file that the kernel maps copy-on-write: the first time it is laid under the memory, later the pages that were written
// are dropped, which costs what the guest touches and not what it could have touched.
func (m *linearMemory) restore(memory api.Memory, im *image) bool {
	if im.file == nil || m.all == nil {
		return restoreByCopy(memory, im)
	}
	size := int(memory.Size())
	if m.attached {
		return syscall.Madvise(m.all[:size], syscall.MADV_DONTNEED) == nil
	}
	if syscall.Madvise(m.all[:size], syscall.MADV_DONTNEED) != nil {
		return false
	}
	// MAP_FIXED replaces the beginning of the reservation; Munmap of the whole takes both.
	_, _, errno := syscall.Syscall6(syscall.SYS_MMAP, uintptr(unsafe.Pointer(unsafe.SliceData(m.all))), uintptr(im.fileSize),
		syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_FIXED|syscall.MAP_NORESERVE, im.file.Fd(), 0)
	m.attached = errno == 0
	return m.attached
}

// cowImage is the size from which an image is worth a file of its own: below it, copying is cheaper than the page faults.
const cowImage = 512 << 10

// fileOf puts an image's memory into a file that has no name and lives in memory. Nil when it is small or cannot be had.
func fileOf(memory []byte) (*os.File, int) {
	if len(memory) < cowImage {
		return nil, 0
	}
	const cloexec = 1 // MFD_CLOEXEC
	name := []byte("crosswalk image\x00")
	fd, _, errno := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&name[0])), cloexec, 0)
	if errno != 0 {
		return nil, 0
	}
	file := os.NewFile(fd, "crosswalk image")
	size := (len(memory) + 4095) &^ 4095 // a file mapping ends with a page
	if err := fill(file, memory, size); err != nil {
		file.Close()
		return nil, 0
	}
	return file, size
}

func fill(file *os.File, memory []byte, size int) error {
	if err := file.Truncate(int64(size)); err != nil {
		return fmt.Errorf("sizing the image: %w", err)
	}
	if _, err := file.WriteAt(memory, 0); err != nil {
		return fmt.Errorf("writing the image: %w", err)
	}
	return nil
}
