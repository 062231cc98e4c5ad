//go:build !(linux && (amd64 || arm64 || riscv64 || loong64))

package memory

import (
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Linear leaves an instance's memory to the engine, which allocates it on the Go heap with its
// capacity reserved.
type Linear struct{}

// Allocator returns nil: the engine uses its own.
func (*Linear) Allocator() experimental.MemoryAllocator { return nil }

// Free does nothing: the garbage collector frees the memory.
func (*Linear) Free() {}

// Watch does nothing: the whole memory is overwritten.
func (*Linear) Watch() {}

// Unwatch does nothing.
func (*Linear) Unwatch(bool) {}

// Forget does nothing.
func (*Linear) Forget() {}

// restore overwrites a memory with the image. This memory cannot shrink, so an instance that grew
// is replaced.
func (*Linear) restore(memory api.Memory, im *Image) bool {
	switch pages := memory.Size() / PageSize; {
	case pages > im.pages:
		return false
	case pages < im.pages:
		if _, ok := memory.Grow(im.pages - pages); !ok {
			return false
		}
	}
	all, ok := memory.Read(0, memory.Size())
	if ok {
		restoreByCopy(all, im)
	}
	return ok
}

// imageFile is empty on this platform: images are copied.
type imageFile struct{}

// keep stores a copy of a memory in the image.
func (im *Image) keep(memory []byte) { im.content = append([]byte(nil), memory...) }

// shared reports that the image is not a file.
func (imageFile) shared() bool { return false }

// held returns 0: there is no file.
func (imageFile) held() int { return 0 }

// Close does nothing: the garbage collector frees the image.
func (im *Image) Close() {}
