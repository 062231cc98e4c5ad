package module

import (
	"math"
	"reflect"

	"github.com/tetratelabs/wazero/api"
)

// guestFunction is a function of an instance that the gateway calls, with the call stack that the
// engine keeps for it. The stack begins with 10 KiB, doubles when a call goes deeper, up to 100 MB,
// and never shrinks.
type guestFunction struct {
	api.Function
	stack reflect.Value // the engine's slice
}

// keepStack is the longest stack that an instance keeps for a function. Go guests need 20 to 80
// KiB. A dropped stack costs an allocation and a copy for each doubling.
const keepStack = 512 << 10

// guestFunctionOf returns an exported function with a new stack; its Function is nil if the guest
// does not export it.
//
// The engine has no method for the stack, so its field is read. The meter's count does not help: it
// is an estimate, and it misses a call that goes deep and returns between two yields.
func guestFunctionOf(guest api.Module, name string) guestFunction {
	e := guestFunction{Function: guest.ExportedFunction(name)}
	if v := reflect.Indirect(reflect.ValueOf(e.Function)); v.Kind() == reflect.Struct {
		e.stack = v.FieldByName("stack")
	}
	return e
}

// stackBytes returns the length of the stack. If another release of the engine has no such field,
// every stack counts as too long, and TestDeepStackIsDroppedX27 fails.
func (e *guestFunction) stackBytes() int {
	if e.stack.Kind() != reflect.Slice {
		return math.MaxInt
	}
	return e.stack.Cap() * int(e.stack.Type().Elem().Size())
}
