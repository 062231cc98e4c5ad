package meter

// The code that the rewriter injects into functions. It copies the original up to the current
// instruction and appends the injected code, which leaves the operand stack as it was.

// The sizes that one unit of fuel pays for, as powers of two. An instruction costs about as much as
// moving 16 bytes.
const bytesPerUnit = 4

// flush copies the original up to a position.
func (b *bodies) flush(to int) {
	b.code = append(b.code, b.module[b.copied:to]...)
	b.copied = to
}

// replace writes other code for the instruction that began at a position and has just been read.
func (b *bodies) replace(at int, write func(code []byte) []byte) {
	if b.rewrite == nil || b.err != nil {
		return
	}
	b.flush(at)
	b.code = write(b.code)
	b.copied = b.pos
}

// The engine's compiler decides the form of a check. Where paths meet, it continues with the
// registers of the path that was written first, so the path without the call stands first: behind
// the call every value would be in memory, on both paths. It compares and branches at once only if
// the condition belongs to an if, not to a br_if to a place that others reach too. It lays out the
// branches of an if in their order, so code that follows the call is reached by a jump around it.

// charge appends: subtract a number from the fuel, and yield if the fuel is used up.
func (b *bodies) charge(code []byte, n int64) []byte {
	left := b.local64()
	return b.yieldBelowZero(take(code, b.rewrite.counter(), max(n, 1), left), left)
}

// chargeBack appends: charge for a branch back to a loop, and branch. The branch stands twice, so
// that nothing follows the yield on the usual path.
func (b *bodies) chargeBack(code []byte, n int64, depth int) []byte {
	left := b.local64()
	code = take(code, b.rewrite.counter(), max(n, 1), left)
	code = append(enough(code, left), 0x04, 0x40)                       // if
	code = append(appendU32(append(code, 0x0c), uint32(depth+1)), 0x0b) // br, end
	code = appendU32(append(code, 0x10), b.yieldIndex())                // call yield
	return appendU32(append(code, 0x0c), uint32(depth))                 // br
}

// take appends: subtract a number from the counter, and keep the rest in a local.
func take(code []byte, counter uint32, n int64, left uint32) []byte {
	code = appendU32(append(code, 0x23), counter)         // global.get
	code = append(appendS64(append(code, 0x42), n), 0x7d) // i64.const, i64.sub
	code = appendU32(append(code, 0x22), left)            // local.tee
	return appendU32(append(code, 0x24), counter)         // global.set
}

// enough appends a condition: the fuel in a local is not below zero.
func enough(code []byte, left uint32) []byte {
	return append(appendU32(append(code, 0x20), left), 0xa7, 0x41, 0, 0x4e) // local.get, i32.wrap_i64, i32.const 0, i32.ge_s
}

// yieldBelowZero appends: yield if the fuel in a local is below zero.
func (b *bodies) yieldBelowZero(code []byte, left uint32) []byte {
	code = append(enough(code, left), 0x04, 0x40, 0x05)                // if, else
	return append(appendU32(append(code, 0x10), b.yieldIndex()), 0x0b) // call yield, end
}

// yieldIndex is the index of the function yield, the last import.
func (b *bodies) yieldIndex() uint32 { return uint32(b.m.imported()) }

// engineCall is the charge of an instruction that calls the engine: memory.grow takes 30 to 60 ns,
// as much as about 60 other instructions, even if it does nothing.
const engineCall = 64

// mostElements exceeds the number of elements that any table may have.
const mostElements = 1 << 24

// chargeBulk charges the bulk operation that has just been read for its length, which is on top of
// the stack, before it runs. One unit of fuel pays for 2^shift bytes or elements; with a negative
// shift, one of them costs 2^-shift units. A length above most, unless most is 0, is charged as
// most: the operation fails without doing anything. flat is charged in addition.
func (b *bodies) chargeBulk(at, shift int, most uint32, flat int64) {
	if !b.injects() {
		return
	}
	b.flush(at)
	length, left := b.scratchLocal(I32, 0), b.local64()
	code := appendU32(append(b.code, 0x21), length)           // local.set length
	code = appendU32(append(code, 0x23), b.rewrite.counter()) // global.get counter
	code = appendU32(append(code, 0x20), length)              // local.get length
	if most > 0 {
		code = appendS64(append(code, 0x41), int64(most)) // i32.const
		code = appendU32(append(code, 0x20), length)
		code = appendS64(append(code, 0x41), int64(most))
		code = append(code, 0x49, 0x1b) // i32.lt_u, select
	}
	code = append(code, 0xad) // i64.extend_i32_u
	switch {
	case shift > 0:
		code = append(code, 0x42, byte(shift), 0x88) // i64.const, i64.shr_u
	case shift < 0:
		code = append(code, 0x42, byte(-shift), 0x86) // i64.const, i64.shl
	}
	if flat > 0 {
		code = append(appendS64(append(code, 0x42), flat), 0x7c) // i64.const, i64.add
	}
	code = append(code, 0x7d)                                 // i64.sub
	code = appendU32(append(code, 0x22), left)                // local.tee
	code = appendU32(append(code, 0x24), b.rewrite.counter()) // global.set counter
	b.code = appendU32(append(b.yieldBelowZero(code, left), 0x20), length)
	// The operation itself is copied with the code that follows.
}

// selectOf replaces a select of floats or vectors by a branch. Other selects stay.
func (b *bodies) selectOf(at int, t ValueType) {
	if t != F32 && t != F64 && t != V128 || !b.injects() {
		return
	}
	b.replace(at, func(code []byte) []byte {
		condition, no, yes := b.scratchLocal(I32, 0), b.scratchLocal(t, 0), b.scratchLocal(t, 1)
		for _, l := range []uint32{condition, no, yes} {
			code = appendU32(append(code, 0x21), l) // local.set
		}
		code = appendU32(append(code, 0x20), condition) // local.get
		code = append(code, 0x04, byte(t))              // if, with a result
		code = appendU32(append(code, 0x20), yes)
		code = append(code, 0x05) // else
		code = appendU32(append(code, 0x20), no)
		return append(code, 0x0b)
	})
}

// scratchLocal returns an added local: the nth of its type. Its value does not outlast one
// injection.
func (b *bodies) scratchLocal(t ValueType, nth int) uint32 {
	for i, s := range b.scratch {
		if s == t {
			if nth == 0 {
				return uint32(len(b.locals) + i)
			}
			nth--
		}
	}
	for {
		b.scratch = append(b.scratch, t)
		if nth == 0 {
			return uint32(len(b.locals) + len(b.scratch) - 1)
		}
		nth--
	}
}

func (b *bodies) local64() uint32 { return b.scratchLocal(I64, 0) }

// frameBytes estimates the native stack of a call of the function: the registers that the engine
// saves, each local and operand once, and each value that lives across a call, because the engine
// gives each its own slot and never reuses one. It does not count values created where branches
// meet; the engine's own limit bounds a function built to have many of these.
func (b *bodies) frameBytes() int {
	const saved = 128
	slot := 8
	if b.vectors {
		slot = 16
	}
	return saved + slot*(len(b.locals)+len(b.scratch)+b.highest+b.spilled)
}

// assemble returns the function's new body: locals, the charge at its entry, its code, and the
// return of its frame. The code is the first branch of an if, whose end is the function's label;
// the second branch yields and goes back to the check:
//
//	take
//	loop
//	  if enough fuel
//	    code
//	  else
//	    call yield, pass the check, br to the loop
//	  end
//	end
//	return the frame
func (b *bodies) assemble(declared groups, t FuncType) []byte {
	b.flush(b.end - 1) // without the function's end
	left, frame := b.local64(), int64(0)
	cost := max(int64(max(b.path, b.longest)), 1)
	if b.calls {
		frame = int64(min(b.frameBytes(), mostFrame))
		cost += frame<<stackShift + frame/FrameBytesPerFuel
	}
	out := appendU32(nil, uint32(declared.n+len(b.scratch)))
	out = append(out, declared.bytes...)
	for _, s := range b.scratch {
		out = append(out, 1, byte(s))
	}
	out = take(out, b.rewrite.counter(), cost, left)
	out = b.rewrite.blockType(append(out, 0x03), t.Results)               // loop
	out = b.rewrite.blockType(append(enough(out, left), 0x04), t.Results) // if
	out = append(append(out, b.code...), 0x05)                            // else
	out = appendU32(append(out, 0x10), b.yieldIndex())                    // call yield
	out = appendU32(append(out, 0x42, 0, 0x21), left)                     // i64.const 0, local.set
	out = append(out, 0x0c, 1, 0x0b, 0x0b)                                // br, end, end
	if frame > 0 {
		out = appendU32(append(out, 0x23), b.rewrite.counter())             // global.get
		out = append(appendS64(append(out, 0x42), frame<<stackShift), 0x7c) // i64.const, i64.add
		out = appendU32(append(out, 0x24), b.rewrite.counter())             // global.set
	}
	return append(out, 0x0b)
}
