//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package memory

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// imageFile is an image in a memory file. All instances of a module share its pages until they
// write to them.
type imageFile struct {
	file    *os.File // nil if the kernel gave no file, or no pagemap to a small image
	size    int      // of the file, in whole pages
	pagemap *pagemap // nil if the kernel has no usable pagemap
}

// cowImage is the size from which an image gets its own file even if the kernel has no usable
// pagemap. Below it, overwriting the whole memory is cheaper than the page faults.
const cowImage = 512 << 10

// keep stores a copy of a memory in the image.
func (im *Image) keep(memory []byte) {
	im.pagemap = openPagemap()
	if im.pagemap != nil || len(memory) >= cowImage {
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

// held returns the memory that the file takes. Holes take no memory.
func (f *imageFile) held() int {
	var st syscall.Stat_t
	if syscall.Fstat(int(f.file.Fd()), &st) != nil {
		return f.size
	}
	return int(st.Blocks) * 512
}

// Close frees the image. No instance may be reset any more.
func (im *Image) Close() {
	im.pagemap.close()
	if im.file != nil {
		_ = syscall.Munmap(im.content[:im.size])
		_ = im.file.Close()
		im.file, im.content = nil, nil
	}
}

// memoryFile copies bytes into an anonymous memory file. It returns nil if the kernel gives no
// file.
func memoryFile(content []byte) (_ *os.File, size int) {
	file := NewFile("crosswalk image", false)
	if file == nil {
		return nil, 0
	}
	page := os.Getpagesize()
	size = (len(content) + page - 1) / page * page // a file mapping ends at a page boundary
	if err := fill(file, content, size); err != nil {
		file.Close()
		return nil, 0
	}
	return file, size
}

// fill writes the pages that are not all zero. The others are holes: they read as zeros and take no
// memory until they are touched. An example is a compiler's stack of 1 MiB of which the first
// instance used one page.
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
