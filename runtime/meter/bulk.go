package meter

// prefixed is an instruction of prefix 0xfc: saturating conversions and bulk operations.
func (b *bodies) prefixed(at int) {
	n, ok := b.number(at)
	if !ok {
		return
	}
	if n < uint32(len(saturating)) {
		b.apply(&saturating[n])
		return
	}
	three := func() {
		b.pop(I32)
		b.pop(I32)
		b.pop(I32)
	}
	switch n {
	case 8: // memory.init
		d := b.dataIndex(at)
		b.memoryIndex(at)
		three()
		b.chargeBulk(at, bytesPerUnit, 0, 0)
		b.inChunks(at, routine{op: 8, segment: d})
	case 9: // data.drop
		b.dataIndex(at)
		b.changesState()
	case 10: // memory.copy
		b.memoryIndex(at)
		b.memoryIndex(at)
		three()
		b.chargeBulk(at, bytesPerUnit, 0, 0)
		b.inChunks(at, routine{op: 10})
	case 11: // memory.fill
		b.memoryIndex(at)
		three()
		b.chargeBulk(at, bytesPerUnit, 0, 0)
		b.inChunks(at, routine{op: 11})
	case 12: // table.init
		e := b.index("element segment", len(b.m.elementTypes))
		t := b.index("table", len(b.m.tables))
		if b.err == nil && b.m.elementTypes[e] != b.m.tables[t].of {
			b.fail(at, "table.init of %v with %v", b.m.tables[t].of, b.m.elementTypes[e])
		}
		three()
		b.changesState()
		b.chargeBulk(at, 0, mostElements, 0)
	case 13: // elem.drop
		b.index("element segment", len(b.m.elementTypes))
		b.changesState()
	case 14: // table.copy
		to := b.index("table", len(b.m.tables))
		from := b.index("table", len(b.m.tables))
		if b.err == nil && b.m.tables[to].of != b.m.tables[from].of {
			b.fail(at, "table.copy from %v to %v", b.m.tables[from].of, b.m.tables[to].of)
		}
		three()
		b.changesState()
		b.chargeBulk(at, 0, mostElements, 0)
	case 15: // table.grow
		t := b.index("table", len(b.m.tables))
		b.pop(I32)
		if b.err == nil {
			b.pop(b.m.tables[t].of)
		}
		b.push(I32)
		b.growTable(at, t)
	case 16: // table.size
		b.index("table", len(b.m.tables))
		b.push(I32)
	case 17: // table.fill
		t := b.index("table", len(b.m.tables))
		b.pop(I32)
		if b.err == nil {
			b.pop(b.m.tables[t].of)
		}
		b.pop(I32)
		b.changesState()
		b.chargeBulk(at, 0, mostElements, 0)
	default:
		b.fail(at, "unknown instruction 0xfc %d", n)
	}
}

// number reads the number of an instruction with a prefix. In several places the engine's compiler
// and interpreter read one byte of it, and take the 1 after the number of a vector instruction from
// 128 on for a nop. In any longer form they would decode other instructions, which were neither
// validated nor metered.
func (b *bodies) number(at int) (n uint32, ok bool) {
	start := b.pos
	n = b.u32()
	if b.err == nil && b.pos-start != len(appendU32(nil, n)) {
		b.fail(at, "the number behind the prefix 0x%02x is not in its shortest form", b.module[at])
	}
	return n, b.err == nil
}

// vector is an instruction of prefix 0xfd.
func (b *bodies) vector(at int) {
	n, ok := b.number(at)
	if !ok {
		return
	}
	if n >= uint32(len(vectors)) || vectors[n] == nil {
		b.fail(at, "unknown vector instruction %d (relaxed SIMD is not supported)", n)
		return
	}
	b.vectors = true
	v := vectors[n]
	if v.memory {
		b.access(at, v.align)
	}
	b.bytes(v.bytes)
	if v.lanes > 0 {
		if lane := b.byte(); lane >= v.lanes {
			b.fail(at, "lane %d of %d", lane, v.lanes)
		}
	}
	if v.mix {
		for range 16 {
			if lane := b.byte(); lane >= 32 {
				b.fail(at, "lane %d of 32", lane)
			}
		}
	}
	b.apply(&v.signature)
}

func (b *bodies) dataIndex(at int) int {
	if b.m.dataCount < 0 {
		b.fail(at, "names a data segment, and the module does not count them")
		return 0
	}
	return b.index("data segment", b.m.dataCount)
}

// Bulk operations on memory run in chunks, with a yield after each: an operation on 64 MiB of
// untouched memory takes 150 ms, and neither Go's garbage collector nor a deadline can interrupt
// it. An operation of at most one chunk stays in the function; for a longer one the function calls
// a routine that the rewriter adds to the module. Tables need no chunks: they have at most 131,072
// elements, so an operation on one moves at most 1 MiB.

// inChunks replaces the operation that has just been read. It has been charged, and its length is
// on top of the stack.
func (in *injector) inChunks(at int, r routine) {
	if !in.injects() || r.op == 8 && in.m.dataSizes[r.segment] <= in.rewrite.chunk { // the segment fits in one chunk
		return
	}
	in.replace(at, func(code []byte) []byte {
		length := in.scratchLocal(I32, 0) // chargeBulk left the length there
		code = append(code, 0x1a)         // drop
		code = appendU32(append(code, 0x20), length)
		code = appendS64(append(code, 0x41), int64(int32(in.rewrite.chunk)))
		code = append(code, 0x4b, 0x04) // i32.gt_u, if
		code = appendS64(code, int64(in.rewrite.typeIndex(FuncType{Params: []ValueType{I32, I32}})))
		code = appendU32(append(code, 0x20), length)
		code = appendU32(append(code, 0x10), in.rewrite.routine(r)) // call
		code = appendU32(append(code, 0x05, 0x20), length)          // else, local.get
		code = r.operation(code)
		return append(code, 0x0b)
	})
}
