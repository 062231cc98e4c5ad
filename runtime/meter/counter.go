package meter

// The counter is one global of 64 bits that holds two numbers, so that a call charges work and
// stack at once: fuel in the low half, stack in the high half. Only the fuel is checked. It is
// signed; below zero it borrows from the stack.
const (
	stackShift = 32
	// mostFrame is the largest frame that the estimate assumes, so that a few frames cannot
	// overflow the counter.
	mostFrame = 1 << 28
)

// FrameBytesPerFuel is the price of a frame: a call costs one fuel for so many bytes of its frame,
// in addition to the function's instructions. A slice of fuel therefore bounds the stack that a
// guest can use before the next yield.
const FrameBytesPerFuel = 16

// Pack returns the value of CounterGlobal for fuel and bytes of stack, both of 32 bits.
func Pack(fuel, stack int64) uint64 { return uint64(stack<<stackShift + fuel) }

// Unpack returns the remaining fuel and bytes of stack of a value of CounterGlobal. A negative
// number is overdrawn.
func Unpack(counter uint64) (fuel, stack int64) {
	fuel = int64(int32(counter))
	return fuel, (int64(counter) - fuel) >> stackShift
}
