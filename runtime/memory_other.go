//go:build !(linux && (amd64 || arm64 || riscv64 || loong64))

package runtime

import (
	"os"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// linearMemory leaves an instance's memory to the engine, which takes it from the Go heap with its capacity reserved.
type linearMemory struct{}

func (*linearMemory) allocator() experimental.MemoryAllocator { return nil }

// shrink reports false: such a memory cannot shrink, and an instance that grew is replaced.
func (*linearMemory) shrink(api.Memory, uint32) bool { return false }

func (*linearMemory) restore(memory api.Memory, im *image) bool { return restoreByCopy(memory, im) }

func fileOf([]byte) (*os.File, int) { return nil, 0 }
