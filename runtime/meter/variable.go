package meter

// variableInstruction handles the instructions with immediates outside of control flow and memory
// access: variables, tables, constants, references, select, and the size of memory.
func (b *bodies) variableInstruction(at int, op byte) {
	switch op {
	case 0x1a: // drop
		b.popAny()
	case 0x1b: // select
		b.pop(I32)
		t1 := b.popAny()
		t2 := b.popAny()
		switch {
		case t1.isRef() || t2.isRef():
			b.fail(at, "select without a type takes no references")
		case t1 != t2 && t1 != unknown && t2 != unknown:
			b.fail(at, "select of %v and %v", t2, t1)
		case t1 == unknown:
			t1 = t2
		}
		b.push(t1)
		b.selectOf(at, t1)
	case 0x1c: // select t
		if n := b.byte(); b.err == nil && n != 1 { // the engine reads one byte too
			b.fail(at, "the count of a select's types is not the byte 1")
		}
		t := b.valueType()
		b.pop(I32)
		b.pop(t)
		b.pop(t)
		b.push(t)
		b.selectOf(at, t)
	case 0x20: // local.get
		i := b.localIndex()
		b.headReads(at, i)
		b.push(b.typeOfLocal(i))
	case 0x21: // local.set
		b.sets++
		i := b.localIndex()
		b.knows(at, i)
		b.pop(b.typeOfLocal(i))
	case 0x22: // local.tee
		b.sets++
		t := b.typeOfLocal(b.localIndex())
		b.pop(t)
		b.push(t)
	case 0x23: // global.get
		if g := b.index("global", len(b.m.globals)); b.err == nil {
			b.push(b.m.globals[g].of)
		}
	case 0x24: // global.set
		g := b.index("global", len(b.m.globals))
		if b.err != nil {
			return
		}
		if !b.m.globals[g].mutable {
			b.fail(at, "sets global %d, which is not mutable", g)
		}
		b.pop(b.m.globals[g].of)
	case 0x25: // table.get
		t := b.index("table", len(b.m.tables))
		b.pop(I32)
		if b.err == nil {
			b.push(b.m.tables[t].of)
		}
	case 0x26: // table.set
		t := b.index("table", len(b.m.tables))
		if b.err == nil {
			b.pop(b.m.tables[t].of)
		}
		b.pop(I32)
		b.changesState()
	case 0x3f: // memory.size
		b.memoryIndex(at)
		b.push(I32)
	case 0x40: // memory.grow
		b.memoryIndex(at)
		b.pop(I32)
		b.push(I32)
		b.chargeBulk(at, -8, b.m.limits.MemoryPages, engineCall) // a page costs as much as filling a sixteenth of it; growing by more than the limit fails
	case 0x41:
		b.known = known{value: uint32(b.signed(32)), constant: b.pos}
		b.push(I32)
	case 0x42:
		b.signed(64)
		b.push(I64)
	case 0x43:
		b.bytes(4)
		b.push(F32)
	case 0x44:
		b.bytes(8)
		b.push(F64)
	case 0xd0: // ref.null
		t := b.valueType()
		if b.err == nil && !t.isRef() {
			b.fail(at, "ref.null of %v", t)
		}
		b.push(t)
	case 0xd1: // ref.is_null
		if t := b.popAny(); b.err == nil && t != unknown && !t.isRef() {
			b.fail(at, "ref.is_null of %v", t)
		}
		b.push(I32)
	case 0xd2: // ref.func
		f := b.index("function", len(b.m.funcs))
		if b.err == nil && !b.m.declared[f] {
			b.fail(at, "takes a reference to function %d, which is neither exported nor in a table nor declared", f)
		}
		b.push(FuncRef)
		b.reference(at, f)
	default:
		b.fail(at, "unknown instruction 0x%02x%s", op, feature(op))
	}
}
