package meter

// Generated code that leaves no value on the stack.

// statement emits code that leaves no value on the stack.
func (g *generator) statement(depth int) {
	g.fuel--
	if depth <= 0 || g.fuel <= 0 {
		g.op(0x01)
		return
	}
	switch g.pick(16) {
	case 0:
		t := g.anyType()
		g.value(t, depth-1)
		g.op(0x1a)
	case 1:
		i := g.pick(len(g.globals))
		g.value(g.globals[i], depth-1)
		g.opU(0x24, i)
	case 2: // an integer store
		g.masked(0x3fff, depth-1)
		if g.pick(2) == 0 {
			g.value(I64, depth-1)
			g.op(0x37, 0)
			g.u(4)
		} else {
			g.value(I32, depth-1)
			g.op(0x3a, 0)
			g.u(1)
		}
	case 3:
		g.loop(depth)
	case 4: // if without else
		g.value(I32, depth-1)
		g.op(0x04, 0x40)
		g.statement(depth - 1)
		g.op(0x0b)
	case 5: // br_table over three blocks
		g.op(0x02, 0x40, 0x02, 0x40, 0x02, 0x40)
		g.value(I32, depth-1)
		g.op(0x0e, 3, 0, 1, 2, byte(g.pick(3)))
		g.op(0x0b)
		g.statement(depth - 1)
		g.op(0x0b)
		g.statement(depth - 1)
		g.op(0x0b)
	case 6: // bulk memory
		for _, most := range []int{0x3fff, 0x3fff, 0x7ff} {
			g.masked(most, depth-2)
		}
		if g.pick(2) == 0 {
			g.misc(10)
			g.op(0, 0)
		} else {
			g.misc(11)
			g.op(0)
		}
	case 7: // early return, when a condition holds
		g.value(I32, depth-1)
		g.op(0x04, 0x40)
		for _, t := range g.funcs[g.fn].Results {
			g.value(t, depth-2)
		}
		g.op(0x0f, 0x0b)
	case 8: // growth, of which at most one page succeeds
		g.op(0x41, 1, 0x40, 0, 0x1a)
	case 11, 12:
		g.dispatch(depth)
	case 13:
		g.segments(depth)
	case 14:
		g.table(depth)
	case 9: // unreachable code: a select of unknown types, and instructions that the rewriter changes elsewhere
		g.op(0x02, 0x40, 0x0c, 0)
		switch g.pick(6) {
		case 0:
			g.op(0x40, 0, 0x1a) // memory.grow
		case 1:
			g.misc(10) // memory.copy
			g.op(0, 0)
		case 2:
			g.op(0x03, 0x40) // a loop, a block and branches in it
			g.statement(depth - 1)
			g.value(I32, depth-1)
			g.op(0x0d, 0, 0x0c, 0, 0x0e, 0, 0, 0x0b)
		case 3:
			g.op(0x0f) // return
		case 4:
			g.op(0xd2, 0, 0x1a) // ref.func
		default:
			g.op(0x1b, 0x1a)
		}
		g.op(0x0b)
	default:
		g.statement(depth - 1)
		g.statement(depth - 1)
	}
}

// segments emits a use of the data or element segment, which holds eight bytes or three functions
// until it is dropped.
func (g *generator) segments(depth int) {
	op, to := 8, 0x3fff // memory.init
	if g.pick(2) == 0 {
		op, to = 12, 1 // table.init
	}
	if g.pick(8) == 0 { // data.drop, elem.drop
		g.misc(op + 1)
		g.u(op / 12)
		return
	}
	g.masked(to, depth-1)
	g.masked(3, depth-2)
	g.masked(3, depth-2)
	g.misc(op)
	g.u(op / 12)
	g.op(0)
}

// table emits a change of the table. The table holds the first three functions, and nulls.
func (g *generator) table(depth int) {
	element := func() {
		if g.pick(4) == 0 {
			g.op(0xd0, byte(FuncRef))
		} else {
			g.opU(0xd2, g.pick(3))
		}
	}
	switch g.pick(4) {
	case 0: // table.set
		g.masked(3, depth-1)
		element()
		g.op(0x26, 0)
	case 1: // table.copy
		g.masked(3, depth-1)
		g.masked(3, depth-2)
		g.masked(1, depth-2)
		g.misc(14)
		g.op(0, 0)
	case 2: // table.fill
		g.masked(3, depth-1)
		element()
		g.masked(1, depth-2)
		g.misc(17)
		g.op(0)
	default: // growth by zero, the only growth that a table allows
		element()
		g.i32(0)
		g.misc(15)
		g.op(0, 0x1a)
	}
}

// counter emits a new local that begins with a number of iterations, and returns it.
func (g *generator) counter(turns int) int {
	counter := len(g.locals)
	g.locals = append(g.locals, I32)
	g.guarded[counter] = true
	g.i32(turns)
	g.opU(0x21, counter)
	return counter
}

// countDown emits a decrement of the counter.
func (g *generator) countDown(counter int) {
	g.opU(0x20, counter)
	g.i32(1)
	g.op(0x6b)
	g.opU(0x22, counter)
}

// loop emits a loop of a few iterations, which branches back in one of the possible ways.
func (g *generator) loop(depth int) {
	if g.loops == 2 {
		g.op(0x01)
		return
	}
	counter := g.counter(1 + g.pick(20))
	g.loops++
	defer func() { g.loops-- }()
	switch g.pick(5) {
	case 0: // br_if
		g.op(0x03, 0x40)
		g.statement(depth - 1)
		g.statement(depth - 1)
		g.countDown(counter)
		g.opU(0x0d, 0)
	case 1: // br
		g.op(0x03, 0x40)
		g.statement(depth - 1)
		g.countDown(counter)
		g.op(0x04, 0x40)
		g.opU(0x0c, 1)
		g.op(0x0b)
		g.statement(depth - 1)
	case 2: // br_table
		g.op(0x02, 0x40, 0x03, 0x40)
		g.statement(depth - 1)
		g.countDown(counter)
		g.op(0x45, 0x0e, 1) // i32.eqz
		g.u(0)
		g.u(1)
		g.op(0x0b)
	case 3: // br with an operand
		t := g.anyType()
		g.value(t, depth-1)
		g.opU(0x03, g.typeIndex(FuncType{Params: []ValueType{t}, Results: []ValueType{t}}))
		g.op(0x1a)
		g.statement(depth - 1)
		g.countDown(counter)
		g.op(0x04, 0x40)
		g.value(t, depth-1)
		g.opU(0x0c, 1)
		g.op(0x0b)
		g.value(t, depth-1)
		g.op(0x0b, 0x1a)
		return
	default: // br_if with an operand
		t := g.anyType()
		g.value(t, depth-1)
		g.opU(0x03, g.typeIndex(FuncType{Params: []ValueType{t}, Results: []ValueType{t}}))
		g.statement(depth - 1)
		g.countDown(counter)
		g.opU(0x0d, 0)
		g.op(0x0b, 0x1a)
		return
	}
	g.op(0x0b)
}

// dispatch emits a loop of several segments with a dispatch table at its beginning, which jumps
// between them a few times, back and forth: in the form of the Go compiler, and in other forms.
func (g *generator) dispatch(depth int) {
	if g.loops == 2 {
		g.op(0x01)
		return
	}
	g.loops++
	defer func() { g.loops-- }()
	n := 2 + g.pick(5)
	at := g.counter(g.pick(n + 1))
	turns := g.counter(1 + g.pick(12))
	other := g.counter(3)
	g.op(0x02, 0x40, 0x03, 0x40)
	for range n {
		g.op(0x02, 0x40)
	}
	switch g.pick(6) { // the local is something else by then
	case 0:
		g.opU(0x20, at)
		g.i32(1)
		g.op(0x73) // i32.xor
		g.opU(0x21, at)
	case 1:
		g.i32(g.pick(n))
		g.opU(0x21, at)
	}
	g.opU(0x20, at)
	g.op(0x0e, byte(n))
	for range n + 1 {
		if d := g.pick(n + 1); d < n {
			g.u(d)
		} else {
			g.u(n + 1) // past the loop
		}
	}
	for segment := range n {
		g.op(0x0b)
		g.statement(depth - 2)
		if g.pick(4) == 0 {
			continue
		}
		g.countDown(turns)
		g.i32(0)
		g.op(0x4a, 0x04, 0x40) // i32.gt_s, if
		to := g.pick(n+3) - 1
		g.i32(to)
		switch g.pick(10) {
		case 0:
			g.opU(0x22, at)
			g.op(0x1a)
		case 1: // another local is set last
			g.opU(0x21, at)
			g.i32(g.pick(n))
			g.opU(0x21, other)
		case 2: // to something unknown
			g.opU(0x21, at)
			g.opU(0x20, turns)
			g.opU(0x21, at)
		case 3: // not at once
			g.opU(0x21, at)
			g.op(0x01)
		default:
			g.opU(0x21, at)
		}
		g.opU(0x0c, n-segment)
		g.op(0x0b)
	}
	g.op(0x0b, 0x0b)
}
