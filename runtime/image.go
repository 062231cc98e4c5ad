package runtime

import (
	"os"

	"github.com/tetratelabs/wazero/api"
)

// image is the initial state of a module's instances: what memory and the mutable globals hold once _initialize has run.
// It is taken from the first instance and given to all others, which therefore need not run _initialize themselves, and
// an instance is put back to it after every batch. It is immutable and shared; the module closes it.
type image struct {
	memory   []byte // without the zeros at its end
	file     *os.File
	fileSize int
	pages    uint32
	globals  []uint64 // in the order of the meter's list
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
		im.file, im.fileSize = fileOf(all[:n])
		if im.file == nil {
			im.memory = append([]byte(nil), all[:n]...)
		}
	}
	for i, g := range globals {
		im.globals[i] = g.Get()
	}
	return im
}

// install puts an instance into the state of the image. It reports false when that cannot be done, because memory is larger
// than the image's and cannot shrink; the instance is then of no further use.
func (im *image) install(in *instance) bool {
	switch pages := in.memory.Size() / pageSize; {
	case pages < im.pages:
		if _, ok := in.memory.Grow(im.pages - pages); !ok {
			return false
		}
	case pages > im.pages:
		if !in.call.memory.shrink(in.memory, im.pages) {
			return false
		}
	}
	if !in.call.memory.restore(in.memory, im) {
		return false
	}
	for i, g := range in.globals {
		g.Set(im.globals[i])
	}
	return true
}

func (im *image) close() {
	if im.file != nil {
		_ = im.file.Close()
	}
}

// restoreByCopy overwrites all of a memory that has the image's size.
func restoreByCopy(memory api.Memory, im *image) bool {
	all, ok := memory.Read(0, memory.Size())
	if ok {
		clear(all[copy(all, im.memory):])
	}
	return ok
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
