//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package memory

import (
	"syscall"
	"unsafe"

	"github.com/tetratelabs/wazero/api"
)

const (
	// copyWhole is the size up to which a memory is restored as a whole: asking what was written would cost as much.
	copyWhole = 256 << 10
	// KeepBytes is the most memory that an instance keeps for itself from one batch to the next. What was written of a memory
	// stays the instance's own and is overwritten in place each time, which costs a copy and spares the faults of taking it
	// anew; an instance that has written more gives all of it back.
	KeepBytes = 4 << 20
)

// restore brings the memory to the size and content of the image. It reports false if that cannot be done, because the memory
// cannot grow, or is at its maximum and cannot shrink; the instance is then of no further use.
func (m *Linear) restore(memory api.Memory, im *Image) bool {
	used := int(memory.Size()) // all that the guest could have written to
	switch pages := memory.Size() / PageSize; {
	case m.all == nil:
		return false
	case pages < im.pages:
		if _, ok := memory.Grow(im.pages - pages); !ok {
			return false
		}
	case pages > im.pages:
		if !m.shrink(memory, im.pages) {
			return false
		}
	}
	switch {
	case im.file != nil && !m.attached:
		return m.attach(im, used)
	case im.file == nil && used <= copyWhole:
		restoreByCopy(m.all[:used], im)
		return true
	case m.restoreWritten(im, used):
		return true
	}
	if syscall.Madvise(m.all[:used], syscall.MADV_DONTNEED) != nil {
		return false
	}
	if im.file == nil { // else the kernel shows the file again
		copy(m.all, im.content)
	}
	return true
}

// attach lays the image's file under a memory whose content is given up. The kernel copies a page of it when it is first
// written to.
func (m *Linear) attach(im *Image, used int) bool {
	if syscall.Madvise(m.all[:used], syscall.MADV_DONTNEED) != nil {
		return false
	}
	// MAP_FIXED replaces the beginning of the reservation; Munmap of the whole takes both.
	_, _, errno := syscall.Syscall6(syscall.SYS_MMAP, uintptr(unsafe.Pointer(unsafe.SliceData(m.all))), uintptr(im.size),
		syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_FIXED|syscall.MAP_NORESERVE, im.file.Fd(), 0)
	m.attached = errno == 0
	return m.attached
}

// restoreWritten puts back the pages that have been written to since the instance was made, in place. It reports false, with
// the work half done, if the kernel does not say which these are or if they are more than are worth keeping.
func (m *Linear) restoreWritten(im *Image, used int) bool {
	if im.pagemap == nil {
		return false
	}
	size := im.pagemap.pageSize
	pages := used / size
	if cap(m.entries) < pages {
		m.entries = make([]uint64, pages)
	}
	entries := m.entries[:pages]
	if !im.pagemap.read(entries, m.all) {
		return false
	}
	kept := 0
	for i, e := range entries {
		if !written(e) {
			continue
		}
		if kept += size; kept > KeepBytes {
			return false
		}
		page, from := m.all[i*size:(i+1)*size], min(i*size, len(im.content))
		clear(page[copy(page, im.content[from:]):])
	}
	return true
}
