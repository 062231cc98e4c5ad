package module

import (
	"github.com/tetratelabs/wazero/api"

	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
)

// slice is the most fuel that a guest gets at a time. It is a millisecond of work at most, and much
// less if functions are charged for branches that they do not take: short enough that Go's garbage
// collector and a passed deadline never wait long for a guest, and long enough that the yields cost
// little. The stack is checked only when a slice is used up, so a guest gets at most the fuel that
// the rest of its stack could take, but at least sliceMin, which takes 256 KiB of stack at most.
const (
	slice    = 1_000_000
	sliceMin = 256 << 10 / meter.FrameBytesPerFuel
)

// tank is the fuel of a call. The guest counts its own work down in a global, a slice at a time; the
// tank has the rest.
type tank struct {
	counter api.MutableGlobal // the guest's; nil before there is an instance
	stack   int64             // bytes of stack of a call
	left    int64             // fuel beyond the current slice
	total   int64             // for messages
}

// used is the fuel that the call has used so far.
func (t *tank) used() int64 { return t.total - t.remaining() }

// remaining is the unused fuel; negative if the last charge overdrew it.
func (t *tank) remaining() int64 {
	if t.counter == nil {
		return t.left
	}
	fuel, _ := meter.Unpack(t.counter.Get())
	return t.left + fuel
}

// grant gives the next slice of fuel to a guest with so much stack left.
func (t *tank) grant(stack int64) {
	granted := min(slice, max(stack/meter.FrameBytesPerFuel, sliceMin), t.left)
	t.left -= granted
	t.counter.Set(meter.Pack(granted, stack))
}

// find attaches the guest's counter for a start section, which runs before the engine hands us the
// instance.
func (t *tank) find(guest api.Module) {
	if t.counter == nil {
		t.counter = guest.ExportedGlobal(meter.CounterGlobal).(api.MutableGlobal)
	}
}
