package meter

// open begins a block, loop, if, else, or the function.
func (b *bodies) open(op byte, takes, gives []ValueType) {
	f := frame{op: op, takes: takes, gives: gives, height: len(b.operand), begin: b.path, id: len(b.ends), dead: b.unreachable()}
	b.ends = append(b.ends, -1)
	b.control = append(b.control, f)
	for _, t := range takes {
		b.push(t)
	}
}

// unreachable reports whether the current code cannot be reached. Such code is validated, and
// nothing is injected into it: it costs nothing at run time, so a charge would only make the module
// larger.
func (b *bodies) unreachable() bool {
	if len(b.control) == 0 {
		return false
	}
	f := &b.control[len(b.control)-1]
	return f.unreachable || f.dead
}

// injects reports whether code may be injected at the current instruction.
func (b *bodies) injects() bool { return b.rewrite != nil && b.err == nil && !b.unreachable() }

// close ends the innermost frame. Exactly its results must be on the stack.
func (b *bodies) close(at int) frame {
	f := b.control[len(b.control)-1]
	b.popAll(f.gives)
	if b.err == nil && len(b.operand) != f.height {
		b.fail(at, "a block ends with %d values more than its type says", len(b.operand)-f.height)
	}
	b.control = b.control[:len(b.control)-1]
	b.path = max(b.path, f.reached)
	b.ends[f.id] = b.path
	return f
}

// reaches records a branch from here to the end of a frame.
func (b *bodies) reaches(f *frame) {
	if f.op != 0x03 {
		f.reached = max(f.reached, b.path)
	}
}

// label returns the operand types of a branch to a frame.
func (f *frame) label() []ValueType {
	if f.op == 0x03 {
		return f.takes
	}
	return f.gives
}

// cut marks the code that follows as unreachable.
func (b *bodies) cut() {
	f := &b.control[len(b.control)-1]
	b.operand = b.operand[:f.height]
	b.lowest = min(b.lowest, f.height)
	f.unreachable = true
	b.longest = max(b.longest, b.path)
	b.path = 0 // no path through here reaches the targets of the next branches
}

func (b *bodies) push(t ValueType) {
	b.operand = append(b.operand, t)
	b.vectors = b.vectors || t == V128
	b.highest = max(b.highest, len(b.operand))
}

func (b *bodies) popAny() ValueType {
	f := &b.control[len(b.control)-1]
	if len(b.operand) == f.height {
		if !f.unreachable {
			b.fail(b.pos, "takes a value from an empty stack")
		}
		return unknown
	}
	t := b.operand[len(b.operand)-1]
	b.operand = b.operand[:len(b.operand)-1]
	b.lowest = min(b.lowest, len(b.operand))
	return t
}

func (b *bodies) pop(want ValueType) {
	if got := b.popAny(); b.err == nil && got != want && got != unknown && want != unknown {
		b.fail(b.pos, "takes a value of type %v where there is one of %v", want, got)
	}
}

func (b *bodies) popAll(types []ValueType) {
	b.works(len(types))
	for i := len(types) - 1; i >= 0; i-- {
		b.pop(types[i])
	}
}

func (b *bodies) pushAll(types []ValueType) {
	b.works(len(types))
	for _, t := range types {
		b.push(t)
	}
}

// blockType reads the type of a block.
func (b *bodies) blockType() FuncType {
	if b.pos < b.end {
		c := ValueType(b.module[b.pos])
		if c == 0x40 {
			b.pos++
			return FuncType{}
		}
		if c.valid() {
			b.pos++
			return FuncType{Results: []ValueType{c}}
		}
	}
	at := b.pos
	i := b.signed(33)
	if b.err == nil && (i < 0 || i >= int64(len(b.m.types))) {
		b.fail(at, "block type %d does not exist; there are %d types", i, len(b.m.types))
	}
	if b.err != nil {
		return FuncType{}
	}
	return b.m.types[i]
}

// target reads the depth of a branch and returns it with its frame.
func (b *bodies) target() (depth int, f *frame) {
	d := b.index("label", len(b.control))
	return d, &b.control[len(b.control)-1-d]
}

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
		b.reaches(&b.control[0])
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

func (b *bodies) call(t FuncType) {
	b.popAll(t.Params)
	b.spilled += min(b.sets, len(b.locals)) + len(b.operand) - min(b.lowest, len(b.operand))
	b.sets, b.lowest = 0, len(b.operand)
	b.pushAll(t.Results)
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

// check requires values of these types on the stack and leaves them there. In unreachable code,
// missing values match any type and stay untyped.
func (b *bodies) check(types []ValueType) {
	b.works(len(types))
	f := &b.control[len(b.control)-1]
	for i := range types {
		want := types[len(types)-1-i]
		if at := len(b.operand) - 1 - i; at >= f.height {
			if got := b.operand[at]; got != want && got != unknown {
				b.fail(b.pos, "br_table takes a value of type %v where there is one of %v", want, got)
			}
		} else if !f.unreachable {
			b.fail(b.pos, "takes a value from an empty stack")
		}
	}
}

func equalTypes(a, b []ValueType) bool { return string(asBytes(a)) == string(asBytes(b)) }

func asBytes(t []ValueType) []byte {
	b := make([]byte, len(t))
	for i := range t {
		b[i] = byte(t[i])
	}
	return b
}
