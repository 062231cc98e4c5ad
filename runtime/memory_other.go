//go:build !(linux && (amd64 || arm64 || riscv64 || loong64))

package runtime

import (
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// linearMemory leaves an instance's memory to the engine, which takes it from the Go heap with its capacity reserved.
type linearMemory struct{}

func (*linearMemory) allocator() experimental.MemoryAllocator { return nil }

// Free has nothing to do: the collector takes the memory.
func (*linearMemory) Free() {}

// restore overwrites a memory with the image. Such a memory cannot shrink, and an instance that grew is replaced.
func (*linearMemory) restore(memory api.Memory, im *image) bool {
	switch pages := memory.Size() / pageSize; {
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
func (im *image) keep(memory []byte) { im.memory = append([]byte(nil), memory...) }

func (im *image) close() {}
