package module

import (
	"math"
	"reflect"

	"github.com/tetratelabs/wazero/api"
)

// entry is a function of an instance that the gateway calls, with the call stack that the engine keeps for it. The stack begins
// with 10 KiB, doubles when a call goes deeper, up to 100 MB, and is never made smaller.
type entry struct {
	api.Function
	stack reflect.Value // the engine's slice
}

// keepStack is the longest stack that an instance keeps for a function. Go guests need 20 to 80 KiB, and one that is dropped costs
// an allocation and as many copies as it is doubled again.
const keepStack = 512 << 10

// entryOf returns an exported function with a new stack; its Function is nil if the guest does not export it.
//
// The engine has no method for the stack, so its field is read. The meter's count does not tell: it is an estimate, and a call that
// goes deep and returns between two yields is not seen.
func entryOf(guest api.Module, name string) entry {
	e := entry{Function: guest.ExportedFunction(name)}
	if v := reflect.Indirect(reflect.ValueOf(e.Function)); v.Kind() == reflect.Struct {
		e.stack = v.FieldByName("stack")
	}
	return e
}

// stackBytes returns the length of the stack. If another release of the engine has no such field, every stack counts as too long,
// and TestX27DeepStackIsNotKept fails.
func (e *entry) stackBytes() int {
	if e.stack.Kind() != reflect.Slice {
		return math.MaxInt
	}
	return e.stack.Cap() * int(e.stack.Type().Elem().Size())
}

// dropStacks replaces those of the instance's functions whose stacks are too long to be kept between batches.
func (in *instance) dropStacks() {
	if in.alloc.stackBytes() > keepStack {
		in.alloc = entryOf(in.guest, exportAlloc)
	}
	if in.convert.stackBytes() > keepStack {
		in.convert = entryOf(in.guest, exportConvert)
	}
}
