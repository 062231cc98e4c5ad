package meter

// bodies validates functions one after the other and, when rewriting, produces their new code. It
// is reused for each function.
type bodies struct {
	injector
}

func newBodies(m *Module, rw *rewrite) *bodies {
	v := validator{m: m, work: workAtLeast + workPerByte*len(m.wasm)}
	return &bodies{injector{output: output{validator: v, rewrite: rw}, tables: map[int]*dispatch{}}}
}

// function validates the module's i-th own function and returns its rewritten body, without its
// size.
func (b *bodies) function(i int) ([]byte, error) {
	declared := b.begin(i)
	b.rewrite.mark(&b.output)
	for b.err == nil && len(b.control) > 0 {
		b.instruction()
		b.fits(0)
	}
	if b.err == nil && !b.done() {
		b.fail(b.pos, "code goes on after the function's end")
	}
	if b.err != nil {
		return nil, b.err
	}
	if b.rewrite == nil {
		return nil, nil
	}
	body := b.assemble(declared, b.m.types[b.m.funcs[b.m.imported()+i]])
	if b.fits(len(body) - len(b.code)); b.err != nil {
		return nil, b.err
	}
	return body, nil
}

// begin prepares for the first instruction of the i-th own function and returns the declarations of
// its locals.
func (b *bodies) begin(i int) (declared groups) {
	declared = b.validator.begin(i)
	b.code, b.scratch, b.copied = b.code[:0], b.scratch[:0], b.pos
	b.head, b.known = head{}, known{}
	clear(b.tables)
	return declared
}

// instruction reads, validates and rewrites the next instruction.
func (b *bodies) instruction() {
	at := b.pos
	op := b.byte()
	if op != 0x02 { // a block costs nothing
		b.path++
	}
	if s := plain[op]; s != nil {
		b.apply(s)
		if isRemainder(op) && b.injects() {
			b.replace(at, func(code []byte) []byte {
				of := typeOf(s.gives)
				return appendRemainder(code, op, b.scratchLocal(of, 0), b.scratchLocal(of, 1))
			})
		}
		return
	}
	if a := accesses[op]; a != nil {
		b.access(at, a.align)
		b.apply(&a.signature)
		return
	}
	switch {
	case op <= 0x11:
		b.controlInstruction(at, op)
		if op == 0x04 || op == 0x05 || op == 0x0b || op == 0x0d { // if, else, end, br_if
			b.rewrite.mark(&b.output)
		}
	case op == 0xfc:
		b.prefixed(at)
	case op == 0xfd:
		b.vector(at)
	default:
		b.variableInstruction(at, op)
	}
}

// apply pops the operands of a plain instruction and pushes its result.
func (b *bodies) apply(s *signature) {
	for i := len(s.takes) - 1; i >= 0; i-- {
		b.pop(typeOf(s.takes[i]))
	}
	if s.gives != 0 {
		b.push(typeOf(s.gives))
	}
}

// access reads the immediates of a load or store.
func (b *bodies) access(at int, align byte) {
	if !b.m.HasMemory {
		b.fail(at, "uses a memory, and there is none")
	}
	if got := b.u32(); b.err == nil && got > uint32(align) {
		b.fail(at, "declares an alignment of 2^%d; 2^%d is the largest for its size", got, align)
	}
	b.u32()
}
