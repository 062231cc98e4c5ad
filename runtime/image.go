package runtime

import "github.com/tetratelabs/wazero/api"

// image is the initial state of a module's instances: what memory and the mutable globals hold once _initialize has run.
// It is taken from the first instance and given to all others, which therefore need not run _initialize themselves, and
// an instance is put back to it after every batch. It is immutable and shared; the module closes it.
type image struct {
	memory []byte // without the zeros at its end
	imageFile
	pages   uint32
	globals []uint64 // in the order of the meter's list
}

const pageSize = 64 << 10

// takeImage copies the state of an instance.
func takeImage(memory api.Memory, globals []api.MutableGlobal) *image {
	im := &image{pages: memory.Size() / pageSize, globals: make([]uint64, len(globals))}
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

// install puts an instance into the state of the image. It reports false when that cannot be done; the instance is then of no
// further use.
func (im *image) install(in *instance) bool {
	if !in.call.memory.restore(in.memory, im) {
		return false
	}
	for i, g := range in.globals {
		g.Set(im.globals[i])
	}
	return true
}

// restoreByCopy overwrites all of a memory.
func restoreByCopy(memory []byte, im *image) {
	clear(memory[copy(memory, im.memory):])
}

// globalsOf finds the mutable globals that the meter exported. portable is false if one holds a reference or a vector:
// a reference means something in its own instance only, and the engine lends no more than 64 bits of a global.
func globalsOf(mod api.Module, names []string) (globals []api.MutableGlobal, portable bool) {
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
