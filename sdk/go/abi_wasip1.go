package crosswalk

import "unsafe"

// These are the functions that the gateway calls, and the one that it provides; see the gateway's
// docs/spec/abi.md.

// request and response are the buffers of the current call; the gateway makes one call at a time.
// Both are parts of frames, the response behind the request.
var request, response, frames, described []byte

// memory is one object of Go's heap with all buffers of a call. A gateway puts back the pages that
// a call wrote, so the buffers lie close together: those of a small object are one page.
type memory struct {
	nodes   [64]node
	scratch [1 << 10]byte
	frames  [memorySize - 64*nodeSize - 1<<10]byte
}

const (
	memorySize = 32 << 10 // a size of which Go aligns objects to pages
	nodeSize   = unsafe.Sizeof(node{})
)

//go:wasmexport crosswalk_abi_v1
func abiV1() {}

// alloc returns a buffer of size bytes. When memory is exhausted, the Go runtime traps, and the
// gateway handles it like any other trap.
//
//go:wasmexport crosswalk_alloc
func alloc(size uint32) uint32 {
	// Most conversions change the size little. If the response has no room, it moves.
	if want := 2*int(size) + int(size)/4; len(frames) < want {
		frames = make([]byte, want)
	}
	end := (int(size) + 8) &^ 7
	request, response = frames[:size:end], frames[end:end]
	return address(request)
}

//go:wasmexport crosswalk_convert
func convert(ptr, size uint32) uint64 {
	if ptr != address(request) || size > uint32(len(request)) {
		return fault("crosswalk_convert was called with a request that crosswalk_alloc did not make room for")
	}
	out, ok := module.answer(response[:0], request[:size])
	if !ok {
		return fault("crosswalk_convert was called with a request that is not a frame of version 1")
	}
	response = out
	return region(response)
}

//go:wasmexport crosswalk_describe
func describe() uint64 {
	described = module.describe()
	return region(described)
}

// fault answers a call that violates the ABI with an empty response, which the gateway treats as a
// fault of the module.
func fault(why string) uint64 {
	Logf(LevelError, "%s", why)
	return 0
}

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

func region(b []byte) uint64 { return uint64(address(b))<<32 | uint64(len(b)) }

//go:wasmimport crosswalk_v1 log
func importedLog(level uint32, ptr unsafe.Pointer, size uint32)

func hostLog(level Level, text []byte) {
	importedLog(uint32(level), unsafe.Pointer(unsafe.SliceData(text)), uint32(len(text)))
}
