//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package memory

import (
	"os"
	"syscall"
	"unsafe"
)

// pagemap reads /proc/self/pagemap: one entry of 64 bits for each page of the process
// (Documentation/admin-guide/mm/pagemap.rst). Reading its flags needs no privilege. It may be
// shared between goroutines; the image closes it.
type pagemap struct {
	file     *os.File
	pageSize int
	counted  bool // the kernel counts each first write to a page as a fault of the thread
}

const (
	pagePresent = 1 << 63
	pageSwapped = 1 << 62
	pageOfFile  = 1 << 61 // of a file, or shared: not private to the process
)

// written reports whether an entry describes a page private to the process. In a private mapping
// these are all pages written since they were last given back. A page never written belongs to the
// file or is absent; the shared zero page counts as written.
func written(entry uint64) bool {
	return entry&(pagePresent|pageSwapped) != 0 && entry&pageOfFile == 0
}

// openPagemap returns nil if the kernel has no pagemap, or if it reports wrong flags for a mapping
// made to test it.
func openPagemap() *pagemap {
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil
	}
	p := &pagemap{file: f, pageSize: os.Getpagesize(), counted: true}
	if !p.truthful() {
		p.close()
		return nil
	}
	return p
}

// read fills the entries of the pages at the beginning of a mapping. It reports whether all could
// be read.
func (p *pagemap) read(entries []uint64, mapping []byte) bool {
	if len(entries) == 0 {
		return true
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(entries))), 8*len(entries))
	at := int64(uintptr(unsafe.Pointer(unsafe.SliceData(mapping)))) / int64(p.pageSize) * 8
	n, err := syscall.Pread(int(p.file.Fd()), bytes, at)
	return err == nil && n == len(bytes)
}

// truthful tests the pagemap with a private mapping of a file and an anonymous one: pages never
// touched, read and written.
func (p *pagemap) truthful() bool {
	file, _ := memoryFile(make([]byte, 4*p.pageSize))
	if file == nil {
		return false
	}
	defer file.Close()
	for _, fd := range []int{int(file.Fd()), -1} {
		flags := syscall.MAP_PRIVATE
		if fd < 0 {
			flags |= syscall.MAP_ANON
		}
		m, err := syscall.Mmap(fd, 0, 4*p.pageSize, syscall.PROT_READ|syscall.PROT_WRITE, flags)
		if err != nil {
			return false
		}
		p.counted = countsFault(func() { m[1*p.pageSize] = m[2*p.pageSize] + 1 }) && p.counted // page 2 is read, page 1 written
		p.counted = countsFault(func() { m[3*p.pageSize] = 0 }) && p.counted                   // writes the value that it had
		entries := make([]uint64, 4)
		ok := p.read(entries, m) && !written(entries[0]) && written(entries[1]) && (fd < 0 || !written(entries[2])) && written(entries[3])
		_ = syscall.Munmap(m)
		if !ok {
			return false
		}
	}
	return true
}

func (p *pagemap) close() {
	if p != nil {
		_ = p.file.Close()
	}
}
