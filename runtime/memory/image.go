// Package memory holds the linear memory of a guest and resets it to an initial image. It runs nothing of a guest.
package memory

import "github.com/tetratelabs/wazero/api"

// Image is the initial state of a module's instances: what memory and the mutable globals hold once _initialize has run.
// It is taken from the first instance and given to all others, which therefore need not run _initialize themselves, and
// an instance is put back to it after every batch. It is immutable and shared; the module closes it.
type Image struct {
	content []byte // without the zeros at its end
	imageFile
	pages   uint32
	globals []uint64 // in the order of the meter's list
}

const PageSize = 64 << 10

// TakeImage copies the state of an instance.
func TakeImage(memory api.Memory, globals []api.MutableGlobal) *Image {
	im := &Image{pages: memory.Size() / PageSize, globals: make([]uint64, len(globals))}
	if all, ok := memory.Read(0, memory.Size()); ok {
		n := len(all)
		for n > 0 && all[n-1] == 0 {
			n--
		}
		im.keep(all[:n])
	}
	for i, g := range globals {
		im.globals[i] = g.Get()
	}
	return im
}

// Install puts an instance, given by its memory and its mutable globals, into the state of the image. It returns false if that fails; the
// instance must not be used any more.
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

// Bytes returns how much memory the image takes.
func (im *Image) Bytes() int {
	if im.Mapped() {
		return im.imageFile.held()
	}
	return len(im.content)
}

// restoreByCopy overwrites all of a memory.
func restoreByCopy(memory []byte, im *Image) {
	clear(memory[copy(memory, im.content):])
}

// Globals finds the mutable globals that the meter exported. portable is false if one holds a reference or a vector:
// a reference means something in its own instance only, and the engine lends no more than 64 bits of a global.
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
