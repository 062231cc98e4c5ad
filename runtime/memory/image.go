// Package memory holds the linear memory of a guest and resets it to an initial image. It runs
// nothing of a guest.
package memory

import (
	"os"

	"github.com/tetratelabs/wazero/api"
)

// Image is the initial state of a module's instances: the content of memory and of the mutable
// globals after _initialize. It is taken from the first instance. All others start from it, so they
// do not run _initialize, and every instance is reset to it after each batch. It is immutable and
// shared; the module closes it.
type Image struct {
	content []byte // in whole pages of the machine, without trailing pages of zeros
	imageFile
	pages   uint32
	globals []uint64 // in the order of the meter's list
}

// PageSize is the size of a WebAssembly page.
const PageSize = 64 << 10

// TakeImage copies the state of an instance.
func TakeImage(memory api.Memory, globals []api.MutableGlobal) *Image {
	im := &Image{pages: memory.Size() / PageSize, globals: make([]uint64, len(globals))}
	if all, ok := memory.Read(0, memory.Size()); ok {
		n := len(all)
		for n > 0 && all[n-1] == 0 {
			n--
		}
		page := os.Getpagesize()
		im.keep(all[:min((n+page-1)/page*page, len(all))])
	}
	for i, g := range globals {
		im.globals[i] = g.Get()
	}
	return im
}

// Install resets an instance, given by its memory and its mutable globals, to the image. If it
// returns false, the reset failed and the instance must not be used any more.
func (im *Image) Install(linear *Linear, memory api.Memory, globals []api.MutableGlobal) bool {
	if !linear.restore(memory, im) {
		return false
	}
	for i, g := range globals {
		g.Set(im.globals[i])
	}
	return true
}

// Mapped reports whether instances map the image's file instead of copying it.
func (im *Image) Mapped() bool { return im.imageFile.shared() }

// Bytes returns the memory that the image takes.
func (im *Image) Bytes() int {
	if im.Mapped() {
		return im.imageFile.held()
	}
	return len(im.content)
}

// restoreByCopy overwrites a whole memory.
func restoreByCopy(memory []byte, im *Image) {
	clear(memory[copy(memory, im.content):])
}

// Globals finds the mutable globals that the meter exported. portable is false if one holds a
// reference or a vector: a reference is valid in its own instance only, and the engine gives access
// to 64 bits of a global at most.
func Globals(mod api.Module, names []string) (globals []api.MutableGlobal, portable bool) {
	portable = true
	for _, name := range names {
		g, ok := mod.ExportedGlobal(name).(api.MutableGlobal)
		if !ok {
			return nil, false
		}
		switch g.Type() {
		case api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeF32, api.ValueTypeF64:
			globals = append(globals, g)
		default:
			portable = false
		}
	}
	return globals, portable
}
