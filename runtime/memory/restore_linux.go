//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package memory

import (
	"bytes"
	"os"
	"syscall"
	"unsafe"

	"github.com/tetratelabs/wazero/api"
)

const (
	// copyWhole is the size up to which a whole memory is overwritten if the image has no file.
	copyWhole = 256 << 10
	// KeepBytes is the most private memory that an instance keeps between batches. Its written
	// pages stay allocated and are overwritten in place, which costs a copy and avoids page faults.
	// An instance that wrote more than KeepBytes returns all of its pages to the kernel.
	KeepBytes = 4 << 20
	// unusedBatches is after how many batches without a change a page that was written before is
	// returned to the kernel. A page fault costs as much as comparing a page ten times.
	unusedBatches = 100
)

// zeroPage is the content of pages behind the image.
var zeroPage = make([]byte, os.Getpagesize())

// restore resets the memory to the size and content of the image. It returns false if the memory
// cannot grow, or is at its maximum and cannot shrink; the instance must then be discarded.
func (m *Linear) restore(memory api.Memory, im *Image) bool {
	m.reach = max(m.reach, int(memory.Size()))
	used := m.reach // all that guests could have written to
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

// restoreWritten resets in place the pages written since the instance was made: it compares each
// with the image and overwrites it if it differs. A page that one large object needed would be
// compared for ever after; pages without a change in unusedBatches go back to the kernel, so the
// work of a reset follows what the last batches wrote.
//
// It returns false, with the work half done, if the pagemap cannot be read or if more than
// KeepBytes were written.
func (m *Linear) restoreWritten(im *Image, used int) bool {
	if im.pagemap == nil || !m.complete && !m.findPrivate(im.pagemap, used) {
		return false
	}
	size, drop := im.pagemap.pageSize, false
	for _, i := range m.private {
		page, initial, returnable := m.all[i*size:(i+1)*size], zeroPage, true
		if i*size < len(im.content) {
			initial, returnable = im.content[i*size:(i+1)*size], im.file != nil
		}
		if !bytes.Equal(page, initial) {
			copy(page, initial)
			m.unused[i] = 0
		} else if returnable {
			m.unused[i]++
			drop = drop || m.unused[i] >= unusedBatches
		}
	}
	return !drop || m.dropUnused(size)
}

// findPrivate finds the private pages of a memory. It returns false if the pagemap cannot be read
// or if they have more than KeepBytes.
func (m *Linear) findPrivate(p *pagemap, used int) bool {
	pages := used / p.pageSize
	if len(m.entries) < pages {
		m.entries = make([]uint64, pages)
		m.unused = append(m.unused, make([]uint8, pages-len(m.unused))...)
	}
	entries := m.entries[:pages]
	if !p.read(entries, m.all) {
		return false
	}
	m.private = m.private[:0]
	for i, e := range entries {
		if written(e) {
			m.private = append(m.private, i)
		}
	}
	few := len(m.private)*p.pageSize <= KeepBytes
	m.complete = few && p.counted
	return few
}

// dropUnused returns to the kernel the pages that were not used lately, of which none differs from
// the image. They show the image again, or zeros behind it.
func (m *Linear) dropUnused(size int) bool {
	kept := m.private[:0]
	for at := 0; at < len(m.private); {
		from, to := m.private[at], m.private[at]
		for ; at < len(m.private) && m.private[at] == to && m.unused[to] >= unusedBatches; at++ {
			m.unused[to] = 0
			to++
		}
		if to == from {
			kept = append(kept, from)
			at++
		} else if syscall.Madvise(m.all[from*size:to*size], syscall.MADV_DONTNEED) != nil {
			return false
		}
	}
	m.private = kept
	return true
}
