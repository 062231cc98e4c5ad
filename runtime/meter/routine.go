package meter

// chunkBytes is the longest operation on memory without a yield. 256 KiB take 10 µs, and 200 µs if
// both ranges are touched for the first time: 128 page faults of 1.5 µs.
const chunkBytes = 256 << 10

// routine is a function added to the module. It has the parameters and the effect of a bulk
// instruction on more than one chunk.
type routine struct {
	op      byte // the number after the prefix 0xfc: 8 memory.init, 10 memory.copy, 11 memory.fill
	segment int  // of memory.init
}

// operation appends the instruction.
func (r routine) operation(code []byte) []byte {
	code = append(code, 0xfc, r.op)
	switch r.op {
	case 8:
		return append(appendU32(code, uint32(r.segment)), 0)
	case 10:
		return append(code, 0, 0)
	}
	return append(code, 0)
}

// body appends the routine's code. Its parameters are the destination, the source (of memory.fill:
// the byte) and the length.
//
// It traps before it writes anything, as the instruction does: an operation of length zero at the
// ends of both ranges traps unless they are within memory and segment. If the end of the
// destination exceeds 32 bits, the instruction itself traps. If the end of the source does, the
// first chunk traps, because the range begins beyond every memory and segment.
func (r routine) body(code []byte, yield uint32, chunk int64) []byte {
	const to, from, length = 0, 1, 2
	get := func(locals ...byte) {
		for _, l := range locals {
			code = append(code, 0x20, l)
		}
	}
	size := func() { code = appendS64(append(code, 0x41), int64(int32(chunk))) }
	add := func(local byte) { // a chunk to a parameter
		get(local)
		size()
		code = append(code, 0x6a, 0x21, local) // i32.add, local.set
	}
	end := func(local byte) { // the end of the range that begins at a parameter
		get(local, length)
		code = append(code, 0x6a)
	}
	end(to)
	get(length)
	code = append(code, 0x49)       // i32.lt_u: it is beyond 32 bits
	code = append(code, 0x04, 0x40) // if
	get(to, from, length)
	code = append(r.operation(code), 0x0b)
	end(to)
	if r.op == 11 {
		get(from)
	} else {
		end(from)
	}
	code = r.operation(append(code, 0x41, 0))

	again := func() { // end of an iteration: yield, and continue while more than a chunk is left
		code = appendU32(append(code, 0x10), yield)
		get(length)
		size()
		code = append(code, 0x4b, 0x0d, 0, 0x0b) // i32.gt_u, br_if, end
	}
	shorten := func() {
		get(length)
		size()
		code = append(code, 0x6b, 0x21, length) // i32.sub, local.set
	}
	upwards := func() {
		code = append(code, 0x03, 0x40) // loop
		get(to, from)
		size()
		code = r.operation(code)
		add(to)
		if r.op != 11 {
			add(from)
		}
		shorten()
		again()
	}
	if r.op != 10 {
		upwards()
	} else { // a copy to a higher address begins at the end: the ranges may overlap
		get(to, from)
		code = append(code, 0x4d, 0x04, 0x40) // i32.le_u, if
		upwards()
		code = append(code, 0x05, 0x03, 0x40) // else, loop
		shorten()
		end(to)
		end(from)
		size()
		code = r.operation(code)
		again()
		code = append(code, 0x0b)
	}
	get(to, from, length)
	return append(r.operation(code), 0x0b)
}
