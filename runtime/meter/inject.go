package meter

// injector injects code at the instructions that need it.
type injector struct {
	output
	head   head
	known  known
	tables map[int]*dispatch // of the loops that begin with one, by their ids
}

// engineCall is the charge of an instruction that calls the engine: memory.grow takes 30 to 60 ns,
// as much as about 60 other instructions, even if it does nothing.
const engineCall = 64

// mostElements exceeds the number of elements that any table may have.
const mostElements = 1 << 24

// chargeBulk charges the bulk operation that has just been read for its length, which is on top of
// the stack, before it runs. One unit of fuel pays for 2^shift bytes or elements; with a negative
// shift, one of them costs 2^-shift units. A length above most, unless most is 0, is charged as
// most: the operation fails without doing anything. flat is charged in addition.
func (in *injector) chargeBulk(at, shift int, most uint32, flat int64) {
	if !in.injects() {
		return
	}
	in.flush(at)
	length, left := in.scratchLocal(I32, 0), in.local64()
	code := appendU32(append(in.code, 0x21), length)           // local.set length
	code = appendU32(append(code, 0x23), in.rewrite.counter()) // global.get counter
	code = appendU32(append(code, 0x20), length)               // local.get length
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
	code = append(code, 0x7d)                                  // i64.sub
	code = appendU32(append(code, 0x22), left)                 // local.tee
	code = appendU32(append(code, 0x24), in.rewrite.counter()) // global.set counter
	in.code = appendU32(append(in.yieldBelowZero(code, left), 0x20), length)
	// The operation itself is copied with the code that follows.
}

// selectOf replaces a select of floats or vectors by a branch. Other selects stay.
func (in *injector) selectOf(at int, t ValueType) {
	if t != F32 && t != F64 && t != V128 || !in.injects() {
		return
	}
	in.replace(at, func(code []byte) []byte {
		condition, no, yes := in.scratchLocal(I32, 0), in.scratchLocal(t, 0), in.scratchLocal(t, 1)
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

// changesState records that the function can change state outside memory and globals.
func (in *injector) changesState() {
	if in.rewrite != nil {
		in.rewrite.resettable = false
	}
}
