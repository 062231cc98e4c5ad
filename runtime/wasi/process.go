package wasi

import (
	"context"

	"github.com/tetratelabs/wazero/sys"
)

// arg0 is the only argument of every guest, with its terminating zero. Some language runtimes crash
// on an empty argument list.
const arg0 = "converter\x00"

func argsGet(c caller, params []uint64) errno {
	argv, buf := uint32(params[0]), uint32(params[1])
	if !c.memory.WriteUint32Le(argv, buf) || !c.memory.WriteString(buf, arg0) {
		return fault
	}
	return success
}

func argsSizesGet(c caller, params []uint64) errno {
	return c.writeSizes(params, 1, uint32(len(arg0)))
}

// environSizesGet says that the environment is empty.
func environSizesGet(c caller, params []uint64) errno { return c.writeSizes(params, 0, 0) }

func (c caller) writeSizes(params []uint64, count, size uint32) errno {
	if !c.memory.WriteUint32Le(uint32(params[0]), count) || !c.memory.WriteUint32Le(uint32(params[1]), size) {
		return fault
	}
	return success
}

// procExit closes the guest and unwinds it. It does not return.
func procExit(c caller, params []uint64) errno {
	code := uint32(params[0])
	_ = c.guest.CloseWithExitCode(context.Background(), code)
	panic(sys.NewExitError(code)) // the engine makes it the error of the call
}
