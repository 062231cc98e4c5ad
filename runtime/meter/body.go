package meter

import "fmt"

// bodies validates functions one after the other and, when rewriting, produces their new code. It
// is reused for each function.
type bodies struct {
	m       *Module
	rewrite *rewrite // nil when only scanning
	reader

	locals  []ValueType // parameters first
	operand []ValueType
	highest int // the largest operand stack so far
	control []frame
	path    int   // instructions on the longest path from the start of the function to here; charges are differences of it
	longest int   // the longest path so far that ends within the function
	ends    []int // by the id of a block, loop or if: the path after its end; -1 while it is open
	calls   bool  // whether the function calls others
	vectors bool  // whether it has values of 128 bits
	head    head
	known   known
	work    int // left of the module's validation work: one for each value of a list and each local
	room    int // limit of the rewritten code of the current function, in bytes

	// For the estimate of frames: values that live across calls, each of which gets its own place
	// in the frame. At a call these are the locals set and the operands pushed since the previous
	// call.
	spilled int
	sets    int // of locals, since the last call
	lowest  int // height of the operand stack since the last call

	code    []byte // written so far
	copied  int    // end of the part of the original that has been copied
	scratch []ValueType
}

// frame is an open block, loop or if, or the function itself.
type frame struct {
	op          byte // 0x02 block, 0x03 loop, 0x04 if, 0x05 else, 0 the function
	takes       []ValueType
	gives       []ValueType
	height      int // of the operand stack below it
	unreachable bool
	dead        bool      // opened in unreachable code
	begin       int       // the path at its beginning
	reached     int       // the longest path so far of a branch to its end
	id          int       // index into ends
	dispatch    *dispatch // of a loop that begins with a dispatch table
}

// A byte of code can name a list of a hundred values, or declare five thousand locals. Compilers
// emit less than one value or local per byte.
const (
	workPerByte = 4
	workAtLeast = 1_000_000
)

func newBodies(m *Module, rw *rewrite) *bodies {
	return &bodies{m: m, rewrite: rw, work: workAtLeast + workPerByte*len(m.wasm)}
}

// works subtracts n from the work allowed for validation.
func (b *bodies) works(n int) {
	if b.work -= n; b.work < 0 {
		b.fail(b.pos, "too much to check: parameters, results, labels and locals of all functions come to more than %d values for each byte of the module", workPerByte)
	}
}

// function validates the module's i-th own function and returns its rewritten body, without its
// size.
func (b *bodies) function(i int) ([]byte, error) {
	declared := b.begin(i)
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

// fits rejects the module if the function's code, written up to here, and so many more bytes exceed
// the limit.
func (b *bodies) fits(more int) {
	if b.rewrite != nil && b.err == nil && len(b.code)+more > b.room {
		b.fail(b.pos, "metering makes the module's code larger than the %d bytes that are allowed, %d times the module and %d KiB: its functions or loops are too many for their size; compile it with optimizations",
			mostCode(b.m.wasm), growth, growthAtLeast>>10)
	}
}

// begin prepares for the first instruction of the i-th own function and returns the declarations of
// its locals.
func (b *bodies) begin(i int) (declared groups) {
	at := b.m.bodies[i]
	b.reader = reader{module: b.m.wasm, pos: at.start, end: at.end, section: fmt.Sprintf("function %d", b.m.imported()+i)}
	typ := b.m.types[b.m.funcs[b.m.imported()+i]]
	b.locals = append(b.locals[:0], typ.Params...)
	b.operand, b.highest, b.calls, b.vectors = b.operand[:0], 0, false, false
	b.path, b.longest, b.ends, b.head, b.known = 0, 0, b.ends[:0], head{}, known{}
	b.spilled, b.sets, b.lowest = 0, 0, 0
	b.control, b.code, b.scratch = b.control[:0], b.code[:0], b.scratch[:0]

	declared = b.declareLocals()
	b.copied = b.pos
	b.open(0, nil, typ.Results)
	return declared
}

// declareLocals reads the locals and returns their declarations: the number of groups and their
// bytes.
func (b *bodies) declareLocals() (declared groups) {
	n := b.count("groups of locals", b.m.limits.Locals)
	start := b.pos
	for range n {
		at := b.pos
		count, of := b.u32(), b.valueType()
		if int64(len(b.locals))+int64(count) > int64(b.m.limits.Locals) {
			b.fail(at, "%d locals; %d are allowed", int64(len(b.locals))+int64(count), b.m.limits.Locals)
		}
		if b.err != nil {
			return groups{}
		}
		b.works(int(count))
		for range count {
			b.locals = append(b.locals, of)
		}
		b.vectors = b.vectors || of == V128
	}
	return groups{n, b.module[start:b.pos]}
}

// groups are declarations of locals.
type groups struct {
	n     int
	bytes []byte
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
