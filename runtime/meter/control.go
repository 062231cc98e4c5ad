package meter

// controlInstruction is an opcode from unreachable to call_indirect.
func (b *bodies) controlInstruction(at int, op byte) {
	switch op {
	case 0x00: // unreachable
		b.cut()
	case 0x01: // nop
	case 0x02, 0x03, 0x04: // block, loop, if
		t := b.blockType()
		if op == 0x04 {
			b.pop(I32)
		}
		b.popAll(t.Params)
		if b.err != nil {
			return
		}
		b.open(op, t.Params, t.Results)
		b.headOpens(at, op, t)
	case 0x05: // else
		if b.control[len(b.control)-1].op != 0x04 {
			b.fail(at, "else without if")
			return
		}
		f := b.close(at)
		if b.err == nil {
			reached := b.path
			b.path = f.begin
			b.open(op, f.takes, f.gives)
			b.control[len(b.control)-1].reached = reached
		}
	case 0x0b: // end
		if f := &b.control[len(b.control)-1]; f.op == 0x04 { // no else: the path around the body
			f.reached = max(f.reached, f.begin)
		}
		f := b.close(at)
		if b.err != nil {
			return
		}
		if f.op == 0x04 && !equalTypes(f.takes, f.gives) {
			b.fail(at, "an if without else changes the stack")
			return
		}
		if len(b.control) > 0 {
			b.pushAll(f.gives)
		}
	case 0x0c: // br
		depth, f := b.target()
		b.reaches(f)
		b.branch(at, depth, f)
		b.popAll(f.label())
		b.cut()
	case 0x0d: // br_if
		depth, f := b.target()
		b.reaches(f)
		b.branchIf(at, depth, f)
		b.pop(I32)
		b.popAll(f.label())
		b.pushAll(f.label())
	case 0x0e:
		b.branchTable(at)
	case 0x0f: // return: a branch to the function, so that its epilogue runs
		b.popAll(b.control[0].gives)
		depth := uint32(len(b.control) - 1)
		b.cut()
		b.replace(at, func(code []byte) []byte { return appendU32(append(code, 0x0c), depth) })
	case 0x10: // call
		f := b.index("function", len(b.m.funcs))
		b.calls = true
		if b.err == nil {
			b.call(b.m.types[b.m.funcs[f]])
		}
		b.replace(at, func(code []byte) []byte { return appendU32(append(code, 0x10), uint32(b.m.shifted(f))) })
	case 0x11: // call_indirect
		t := b.index("type", len(b.m.types))
		table := b.index("table", len(b.m.tables))
		b.calls = true
		if b.err == nil && b.m.tables[table].of != FuncRef {
			b.fail(at, "calls into a table of %v", b.m.tables[table].of)
		}
		b.pop(I32)
		if b.err == nil {
			b.call(b.m.types[t])
		}
	default:
		b.fail(at, "unknown instruction 0x%02x%s", op, feature(op))
	}
}

func (b *bodies) branchTable(at int) {
	n := b.count("labels", b.m.limits.BodyBytes)
	b.pop(I32)
	start := b.pos
	for range n {
		b.u32()
	}
	_, last := b.target()
	if b.err != nil {
		return
	}
	label := last.label()
	after := b.pos
	b.pos = start
	back := int64(0) // the most expensive branch back to a loop
	for range n + 1 {
		_, f := b.target()
		if b.err != nil {
			return
		}
		if len(f.label()) != len(label) {
			b.fail(at, "br_table to labels of %d and %d values", len(f.label()), len(label))
			return
		}
		b.check(f.label())
		b.reaches(f)
		if f.op == 0x03 {
			back = max(back, int64(b.path-f.begin))
		}
	}
	b.pos = start
	b.headBranches(at, n+1)
	b.pos = after
	if back > 0 && b.injects() {
		b.flush(at)
		b.code = b.charge(b.code, back)
	}
	b.popAll(label)
	b.cut()
}

func equalTypes(a, b []ValueType) bool { return string(asBytes(a)) == string(asBytes(b)) }

func asBytes(t []ValueType) []byte {
	b := make([]byte, len(t))
	for i := range t {
		b[i] = byte(t[i])
	}
	return b
}
