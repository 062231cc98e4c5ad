//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package memory

import (
	"syscall"
	"unsafe"

	"github.com/tetratelabs/wazero/api"
)

const (
	// copyWhole is the size up to which a whole memory is overwritten: reading the pagemap would
	// cost as much.
	copyWhole = 256 << 10
	// KeepBytes is the most private memory that an instance keeps between batches. Its written
	// pages stay allocated and are overwritten in place, which costs a copy and avoids page faults.
	// An instance that wrote more than KeepBytes returns all of its pages to the kernel.
	KeepBytes = 4 << 20
)

// restore resets the memory to the size and content of the image. It returns false if the memory
// cannot grow, or is at its maximum and cannot shrink; the instance must then be discarded.
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
	if im.file == nil { // otherwise the file is visible again
		copy(m.all, im.content)
	}
	return true
}

// attach maps the image's file over the beginning of a memory and discards the memory's content.
// The kernel copies a page of the file at the first write to it.
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

// restoreWritten resets in place the pages written since the instance was made. It returns false,
// with the work half done, if the pagemap cannot be read or if more than KeepBytes were written.
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
