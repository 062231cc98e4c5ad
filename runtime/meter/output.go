package meter

// The sizes that one unit of fuel pays for, as powers of two. An instruction costs about as much as
// moving 16 bytes.
const bytesPerUnit = 4

// output is the code of a function as it is written: the original up to a position, with what was
// injected. It leaves the operand stack of the original as it was.
type output struct {
	validator
	rewrite *rewrite // nil when only scanning
	code    []byte   // written so far
	copied  int      // end of the part of the original that has been copied
	scratch []ValueType
	room    int // limit of the rewritten code of the current function, in bytes
}

// injects reports whether code may be injected at the current instruction.
func (o *output) injects() bool { return o.rewrite != nil && o.err == nil && !o.unreachable() }

// fits rejects the module if the function's code, written up to here, and so many more bytes exceed
// the limit.
func (o *output) fits(more int) {
	if o.rewrite != nil && o.err == nil && len(o.code)+more > o.room {
		o.fail(o.pos, "metering makes the module's code larger than the %d bytes that are allowed, %d times the module and %d KiB: its functions or loops are too many for their size; compile it with optimizations",
			mostCode(o.m.wasm), growth, growthAtLeast>>10)
	}
}

// flush copies the original up to a position.
func (o *output) flush(to int) {
	o.code = append(o.code, o.module[o.copied:to]...)
	o.copied = to
}

// replace writes other code for the instruction that began at a position and has just been read.
func (o *output) replace(at int, write func(code []byte) []byte) {
	if o.rewrite == nil || o.err != nil {
		return
	}
	o.flush(at)
	o.code = write(o.code)
	o.copied = o.pos
}

// The engine's compiler decides the form of a check. Where paths meet, it continues with the
// registers of the path that was written first, so the path without the call stands first: behind
// the call every value would be in memory, on both paths. It compares and branches at once only if
// the condition belongs to an if, not to a br_if to a place that others reach too. It lays out the
// branches of an if in their order, so code that follows the call is reached by a jump around it.

// charge appends: subtract a number from the fuel, and yield if the fuel is used up.
func (o *output) charge(code []byte, n int64) []byte {
	left := o.local64()
	return o.yieldBelowZero(take(code, o.rewrite.counter(), max(n, 1), left), left)
}

// chargeBack appends: charge for a branch back to a loop, and branch. The branch stands twice, so
// that nothing follows the yield on the usual path.
func (o *output) chargeBack(code []byte, n int64, depth int) []byte {
	left := o.local64()
	code = take(code, o.rewrite.counter(), max(n, 1), left)
	code = append(enough(code, left), 0x04, 0x40)                       // if
	code = append(appendU32(append(code, 0x0c), uint32(depth+1)), 0x0b) // br, end
	code = appendU32(append(code, 0x10), o.yieldIndex())                // call yield
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
func (o *output) yieldBelowZero(code []byte, left uint32) []byte {
	code = append(enough(code, left), 0x04, 0x40, 0x05)                // if, else
	return append(appendU32(append(code, 0x10), o.yieldIndex()), 0x0b) // call yield, end
}

// yieldIndex is the index of the function yield, the last import.
func (o *output) yieldIndex() uint32 { return uint32(o.m.imported()) }

// scratchLocal returns an added local: the nth of its type. Its value does not outlast one
// injection.
func (o *output) scratchLocal(t ValueType, nth int) uint32 {
	for i, s := range o.scratch {
		if s == t {
			if nth == 0 {
				return uint32(len(o.locals) + i)
			}
			nth--
		}
	}
	for {
		o.scratch = append(o.scratch, t)
		if nth == 0 {
			return uint32(len(o.locals) + len(o.scratch) - 1)
		}
		nth--
	}
}

func (o *output) local64() uint32 { return o.scratchLocal(I64, 0) }

// frameBytes estimates the native stack of a call of the function: the registers that the engine
// saves, each local and operand once, and each value that lives across a call, because the engine
// gives each its own slot and never reuses one. It does not count values created where branches
// meet; the engine's own limit bounds a function built to have many of these.
func (o *output) frameBytes() int {
	const saved = 128
	slot := 8
	if o.vectors {
		slot = 16
	}
	return saved + slot*(len(o.locals)+len(o.scratch)+o.highest+o.spilled)
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
func (o *output) assemble(declared groups, t FuncType) []byte {
	o.flush(o.end - 1) // without the function's end
	left, frame := o.local64(), int64(0)
	cost := max(int64(max(o.path, o.longest)), 1)
	if o.calls {
		frame = int64(min(o.frameBytes(), mostFrame))
		cost += frame<<stackShift + frame/FrameBytesPerFuel
	}
	out := appendU32(nil, uint32(declared.n+len(o.scratch)))
	out = append(out, declared.bytes...)
	for _, s := range o.scratch {
		out = append(out, 1, byte(s))
	}
	out = take(out, o.rewrite.counter(), cost, left)
	out = o.rewrite.blockType(append(out, 0x03), t.Results)               // loop
	out = o.rewrite.blockType(append(enough(out, left), 0x04), t.Results) // if
	out = append(append(out, o.code...), 0x05)                            // else
	out = appendU32(append(out, 0x10), o.yieldIndex())                    // call yield
	out = appendU32(append(out, 0x42, 0, 0x21), left)                     // i64.const 0, local.set
	out = append(out, 0x0c, 1, 0x0b, 0x0b)                                // br, end, end
	if frame > 0 {
		out = appendU32(append(out, 0x23), o.rewrite.counter())             // global.get
		out = append(appendS64(append(out, 0x42), frame<<stackShift), 0x7c) // i64.const, i64.add
		out = appendU32(append(out, 0x24), o.rewrite.counter())             // global.set
	}
	return append(out, 0x0b)
}
