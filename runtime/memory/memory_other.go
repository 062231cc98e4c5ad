//go:build !(linux && (amd64 || arm64 || riscv64 || loong64))

package memory

import (
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Linear leaves an instance's memory to the engine, which takes it from the Go heap with its capacity reserved.
type Linear struct{}

func (*Linear) Allocator() experimental.MemoryAllocator { return nil }

// Free has nothing to do: the collector takes the memory.
func (*Linear) Free() {}

// restore overwrites a memory with the image. Such a memory cannot shrink, and an instance that grew is replaced.
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

// imageFile is nothing here: images are copied.
type imageFile struct{}

// keep makes a copy of a memory the image's.
func (im *Image) keep(memory []byte) { im.content = append([]byte(nil), memory...) }

// shared reports that the image is not a file.
func (imageFile) shared() bool { return false }

func (imageFile) held() int { return 0 }

func (im *Image) Close() {}
