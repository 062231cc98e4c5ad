package meter

// The counter is one global of 64 bits with two numbers in it, so that a call pays for work and stack at once: the fuel below,
// the stack above. Only the fuel is checked. It is signed, and what it is below zero is borrowed from the stack.
const (
	stackShift = 32
	// mostFrame is the largest frame that a function is taken to have, so that no few of them overflow the counter.
	mostFrame = 1 << 28
)

// FrameBytesPerFuel says what a call costs beside the function's instructions: one fuel for so many bytes of its frame. So a
// slice of fuel bounds the stack that can be taken until it is used up.
const FrameBytesPerFuel = 16

// Pack returns the value of CounterGlobal for so much fuel and so many bytes of stack, both of 32 bits.
func Pack(fuel, stack int64) uint64 { return uint64(stack<<stackShift + fuel) }

// Unpack returns the fuel and the bytes of stack that are left by a value of CounterGlobal. Below zero is what was overdrawn.
func Unpack(counter uint64) (fuel, stack int64) {
	fuel = int64(int32(counter))
	return fuel, (int64(counter) - fuel) >> stackShift
}
