package meter

// What the rewriter puts into functions. Code is copied from the original up to the instruction at hand, then comes what is
// injected; the operand stack is the same before and after.

// The sizes behind a charge of one, as powers of two. An instruction costs about as much as moving 16 bytes.
const bytesPerUnit = 4

// flush copies the original up to a position.
func (b *bodies) flush(to int) {
	b.code = append(b.code, b.module[b.copied:to]...)
	b.copied = to
}

// replace writes something else for the instruction that began at a position and has just been read.
func (b *bodies) replace(at int, write func(code []byte) []byte) {
	if b.rewrite == nil || b.err != nil {
		return
	}
	b.flush(at)
	b.code = write(b.code)
	b.copied = b.pos
}

// chargeLoop charges the loop that has just been opened, at each turn, for the instructions in it that no inner loop pays
// for. How many these are is known at the end.
func (b *bodies) chargeLoop() {
	b.costs = append(b.costs, cost{patch: -1})
	f := &b.control[len(b.control)-1]
	f.cost = len(b.costs) - 1
	if b.rewrite == nil {
		return
	}
	b.flush(b.pos)
	var patch int
	b.code, patch = b.charge(b.code, b.local64())
	b.costs[f.cost].patch = patch
}

// charge appends: take a number off the fuel, and yield if it has run out. The number is filled in at the returned position.
func (b *bodies) charge(code []byte, scratch uint32) (_ []byte, patch int) {
	code = appendU32(append(code, 0x23), b.rewrite.fuel()) // global.get fuel
	code = append(code, 0x42)                              // i64.const
	patch = len(code)
	code = append(code, make([]byte, padded)...)
	return b.spend(code, scratch), patch
}

// spend appends: subtract the top of the stack from the fuel, which is below it, and yield if that is negative.
func (b *bodies) spend(code []byte, scratch uint32) []byte {
	code = append(code, 0x7d)                              // i64.sub
	code = appendU32(append(code, 0x22), scratch)          // local.tee
	code = appendU32(append(code, 0x24), b.rewrite.fuel()) // global.set fuel
	code = appendU32(append(code, 0x20), scratch)          // local.get
	return b.yieldIfNegative(code)
}

// take appends: take a number off a counter, and keep what is left in a local.
func take(code []byte, counter uint32, n int64, left uint32) []byte {
	code = appendU32(append(code, 0x23), counter)         // global.get
	code = append(appendS64(append(code, 0x42), n), 0x7d) // i64.const, i64.sub
	code = appendU32(append(code, 0x22), left)            // local.tee
	return appendU32(append(code, 0x24), counter)         // global.set
}

// yieldIfNegative appends: if the i64 on top of the stack is negative, yield for want of fuel.
func (b *bodies) yieldIfNegative(code []byte) []byte {
	code = append(code, 0x42, 0, 0x53, 0x04, 0x40, 0x41, YieldFuel) // i64.const 0, i64.lt_s, if, i32.const
	code = appendU32(append(code, 0x10), b.yieldIndex())            // call yield
	return append(code, 0x0b)
}

// yieldIndex is the index of the function yield, the last import.
func (b *bodies) yieldIndex() uint32 { return uint32(b.m.imported()) }

// chargeBulk charges the bulk operation that has just been read for its length, which is on top of the stack, before it is
// done. shift is the power of two of what one unit of fuel pays for; negative, of how many units one costs.
func (b *bodies) chargeBulk(at, shift int) {
	if b.rewrite == nil || b.err != nil {
		return
	}
	b.flush(at)
	length, scratch := b.scratchLocal(I32, 0), b.local64()
	code := appendU32(append(b.code, 0x21), length)        // local.set length
	code = appendU32(append(code, 0x23), b.rewrite.fuel()) // global.get fuel
	code = appendU32(append(code, 0x20), length)           // local.get length
	code = append(code, 0xad)                              // i64.extend_i32_u
	switch {
	case shift > 0:
		code = append(code, 0x42, byte(shift), 0x88) // i64.const, i64.shr_u
	case shift < 0:
		code = append(code, 0x42, byte(-shift), 0x86) // i64.const, i64.shl
	}
	code = b.spend(code, scratch)
	b.code = appendU32(append(code, 0x20), length) // local.get length
	// The operation itself is copied with what follows.
}

// selectOf replaces a select of floats or vectors by a branch. Others stay.
func (b *bodies) selectOf(at int, t ValueType) {
	if t != F32 && t != F64 && t != V128 {
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

// scratchLocal returns a local of our own: the nth of its type. Between two injections it holds nothing.
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

// frameBytes estimates what a call of the function takes of the native stack: what the engine saves, each local and operand
// once, and each value that lives across a call, for the engine gives every one a place of its own and uses none twice. Values that
// are made where branches meet are not counted; the engine's own limit is what bounds a function that is built to have many.
func (b *bodies) frameBytes() int {
	const saved = 128
	slot := 8
	if b.vectors {
		slot = 16
	}
	return saved + slot*(len(b.locals)+len(b.scratch)+b.highest+b.spilled)
}

// assemble returns the function's new body: locals, the charges at its entry, its code, and what it does at its exit.
func (b *bodies) assemble(declared groups, t FuncType) []byte {
	b.flush(b.end)
	own := b.costs[0].instructions
	if b.entry > 0 {
		b.costs[b.entry].instructions += own
	}
	for _, c := range b.costs[1:] {
		putPadded(b.code[c.patch:], max(c.instructions, 1))
	}
	fuelLeft, stackLeft := b.scratchLocal(I64, 0), b.scratchLocal(I64, 1)
	var prologue, epilogue []byte
	if b.entry == 0 {
		prologue = take(prologue, b.rewrite.fuel(), int64(max(own, 1)), fuelLeft)
	}
	if !b.calls {
		if b.entry == 0 {
			prologue = b.yieldIfNegative(appendU32(append(prologue, 0x20), fuelLeft))
		}
	} else {
		stack, frame := b.rewrite.stack(), int64(b.frameBytes())
		prologue = take(prologue, stack, frame, stackLeft)
		prologue = appendU32(append(prologue, 0x20), stackLeft)
		if b.entry == 0 { // one check for both counters: the sign of either is the sign of both ored
			prologue = append(appendU32(append(prologue, 0x20), fuelLeft), 0x84)
		}
		prologue = append(prologue, 0x42, 0, 0x53, 0x04, 0x40)  // i64.const 0, i64.lt_s, if
		prologue = appendU32(append(prologue, 0x20), stackLeft) // its sign is the reason
		prologue = append(prologue, 0x42, 63, 0x88, 0xa7)       // i64.const 63, i64.shr_u, i32.wrap_i64
		prologue = appendU32(append(prologue, 0x10), b.yieldIndex())
		prologue = append(prologue, 0x0b)
		prologue = b.rewrite.blockType(append(prologue, 0x02), t.Results) // block: the function's label
		epilogue = appendU32(append(epilogue, 0x23), stack)
		epilogue = append(appendS64(append(epilogue, 0x42), frame), 0x7c) // i64.add
		epilogue = appendU32(append(epilogue, 0x24), stack)
		epilogue = append(epilogue, 0x0b) // the function's own end; the original's closes the block
	}
	out := appendU32(nil, uint32(declared.n+len(b.scratch)))
	out = append(out, declared.bytes...)
	for _, s := range b.scratch {
		out = append(out, 1, byte(s))
	}
	out = append(out, prologue...)
	out = append(out, b.code...)
	return append(out, epilogue...)
}
