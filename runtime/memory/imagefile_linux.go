//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package memory

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// imageFile is a large image as a file of memory, which all instances of a module share until they write to it.
type imageFile struct {
	file    *os.File // nil if the image is small, or no file could be had
	size    int      // of the file, whole pages
	pagemap *pagemap // nil if there is none
}

// cowImage is the size from which an image is worth a file of its own: below it, copying is cheaper than the page faults.
const cowImage = 512 << 10

// keep makes a memory, of which it keeps a copy, the image's.
func (im *Image) keep(memory []byte) {
	im.pagemap = openPagemap()
	if len(memory) >= cowImage {
		if im.file, im.size = memoryFile(memory); im.file != nil {
			view, err := syscall.Mmap(int(im.file.Fd()), 0, im.size, syscall.PROT_READ, syscall.MAP_SHARED)
			if err == nil {
				im.content = view[:len(memory)]
				return
			}
			_ = im.file.Close()
			im.file = nil
		}
	}
	im.content = append([]byte(nil), memory...)
}

// shared reports whether the image is a file.
func (f *imageFile) shared() bool { return f.file != nil }

// held returns how much memory the file takes: holes take none.
func (f *imageFile) held() int {
	var st syscall.Stat_t
	if syscall.Fstat(int(f.file.Fd()), &st) != nil {
		return f.size
	}
	return int(st.Blocks) * 512
}

// Close frees what the image keeps. No instance may be reset any more.
func (im *Image) Close() {
	im.pagemap.close()
	if im.file != nil {
		_ = syscall.Munmap(im.content[:im.size])
		_ = im.file.Close()
		im.file, im.content = nil, nil
	}
}

// memoryFile puts bytes into a file that has no name and lives in memory. It returns nil when none can be had.
func memoryFile(content []byte) (_ *os.File, size int) {
	file := NewFile("crosswalk image", false)
	if file == nil {
		return nil, 0
	}
	page := os.Getpagesize()
	size = (len(content) + page - 1) / page * page // a file mapping ends with a page
	if err := fill(file, content, size); err != nil {
		file.Close()
		return nil, 0
	}
	return file, size
}

// fill writes the pages that are not all zero. The others are holes, which read as zeros and take no memory until they are touched: a
// compiler's stack of a megabyte, say, of which the first instance used a page.
func fill(file *os.File, content []byte, size int) error {
	if err := file.Truncate(int64(size)); err != nil {
		return fmt.Errorf("sizing the image: %w", err)
	}
	page := os.Getpagesize()
	zero := make([]byte, page)
	for from := 0; from < len(content); {
		to := from
		for to < len(content) && !bytes.HasPrefix(zero, content[to:min(to+page, len(content))]) {
			to = min(to+page, len(content))
		}
		if to == from { // a page of zeros
			from += page
			continue
		}
		if _, err := file.WriteAt(content[from:to], int64(from)); err != nil {
			return fmt.Errorf("writing the image: %w", err)
		}
		from = to
	}
	return nil
}
