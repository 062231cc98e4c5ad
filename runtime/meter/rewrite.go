package meter

import "strconv"

// Options configure Rewrite. A zero field means its default.
type Options struct {
	// MemoryPages is the most a memory may grow to. Default: the scan's limit.
	MemoryPages uint32
	// StackBytes is the call stack that a call may use, by the meter's estimate of frames. Default
	// 8 MiB: about 60,000 frames of the smallest functions, or 1,000 frames, the maximum depth of
	// JSON, of functions with 1,000 values each.
	StackBytes int64
	// Blocks counts the blocks of code that run: each sets a bit in one of Rewritten.BlockGlobals.
	Blocks bool

	chunk uint32 // instead of chunkBytes, in tests
}

// Rewritten is a module that is safe to run.
type Rewritten struct {
	Wasm   []byte
	Module *Module // the result of Scan for the original; it does not keep its bytes
	// Globals are the names under which the module's mutable globals are exported, in the order of
	// their indices.
	Globals []string
	// Blocks is how many blocks of code the module has, and BlockGlobals are the exported globals with
	// the bits of those that have run since the instance was made; 0 and nil without Options.Blocks.
	Blocks       int
	BlockGlobals []string
	// Resettable reports that calls change memory and those globals only, and that all of it can be
	// reset: the code changes no table and drops no segment, and no mutable global holds a
	// reference or a vector.
	Resettable bool
	// InstanceFuel is the price of making an instance, before any of its code runs.
	InstanceFuel int64
	// Parts counts the functions, globals, types, exports, segments and elements. The engine keeps
	// a structure for each as long as the module is loaded.
	Parts int
}

// Rewrite scans a module and returns it metered, bounded and resettable; see the package's
// documentation. The result is valid if the original is.
//
// # Errors
//
// Those of Scan, and an error for code that grows too much.
func Rewrite(wasm []byte, limits Limits, options Options) (*Rewritten, error) {
	m, err := parse(wasm, limits)
	if err != nil {
		return nil, err
	}
	rw := newRewrite(m, options)
	room := mostCode(wasm) + rw.markRoom
	code := make([]byte, 0, len(wasm)*3/2)
	b := newBodies(m, rw)
	for i := range m.bodies {
		b.room = room - len(code)
		body, err := b.function(i)
		if err != nil {
			return nil, err
		}
		code = append(appendU32(code, uint32(len(body))), body...)
	}
	return rw.finish(code, options), nil
}

func newRewrite(m *Module, options Options) *rewrite {
	rw := &rewrite{m: m, resettable: true, chunk: chunkBytes, byType: map[string]int{}}
	if options.Blocks {
		rw.countsBlocks, rw.markRoom = true, mostCode(m.wasm)
	}
	if options.chunk > 0 {
		rw.chunk = options.chunk
	}
	rw.types = append(rw.types, FuncType{}) // of yield
	return rw
}

// finish assembles the module with the rewritten code.
func (rw *rewrite) finish(code []byte, options Options) *Rewritten {
	m := rw.m
	code = rw.appendRoutines(code)
	if options.MemoryPages == 0 {
		options.MemoryPages = m.limits.MemoryPages
	}
	if options.StackBytes == 0 {
		options.StackBytes = 8 << 20
	}
	out := make([]byte, 0, len(code)+len(m.data)+len(m.elements)+4096)
	out = append(out, m.wasm[:headerBytes]...)
	out = rw.writeTypes(out)
	out = rw.writeImports(out, len(m.types))
	out = rw.writeFunctions(out)
	out = rw.writeTables(out)
	out = rw.writeMemory(out, options.MemoryPages)
	out = rw.writeGlobals(out, options.StackBytes)
	out, globals, blockGlobals := rw.writeExports(out)
	if m.HasStart {
		out = appendSection(out, 8, m.shifted(m.start), nil) // the function's index stands where others have a count
	}
	if n := len(m.elementTypes); n > 0 {
		out = appendSection(out, 9, n, m.elements)
	}
	if m.dataCount >= 0 {
		out = appendSection(out, 12, m.dataCount, nil)
	}
	if len(m.bodies) > 0 {
		out = appendSection(out, 10, len(m.bodies)+len(rw.routines), code)
	}
	if m.dataEntries > 0 {
		out = appendSection(out, 11, m.dataEntries, m.data)
	}
	public := &Module{
		Imports: m.Imports, Exports: m.Exports, Functions: m.Functions, Globals: m.Globals,
		HasMemory: m.HasMemory, MemoryMin: m.MemoryMin, HasStart: m.HasStart,
	}
	return &Rewritten{Wasm: out, Module: public, Globals: globals, Blocks: rw.blocks, BlockGlobals: blockGlobals, Resettable: rw.resettable, InstanceFuel: m.instanceFuel(), Parts: m.parts()}
}

func (rw *rewrite) writeTypes(out []byte) []byte {
	var b []byte
	for _, list := range [][]FuncType{rw.m.types, rw.types} {
		for _, t := range list {
			b = appendType(b, t)
		}
	}
	return appendSection(out, 1, len(rw.m.types)+len(rw.types), b)
}

func (rw *rewrite) writeImports(out []byte, yieldType int) []byte {
	var b []byte
	for i, im := range rw.m.Imports {
		b = appendName(appendName(b, im.Module), im.Name)
		b = appendU32(append(b, byte(KindFunction)), uint32(rw.m.funcs[i]))
	}
	b = appendName(appendName(b, YieldModule), YieldFunction)
	b = appendU32(append(b, byte(KindFunction)), uint32(yieldType))
	return appendSection(out, 2, len(rw.m.Imports)+1, b)
}

func (rw *rewrite) writeFunctions(out []byte) []byte {
	if rw.m.Functions == 0 {
		return out
	}
	var b []byte
	for _, t := range rw.m.funcs[rw.m.imported():] {
		b = appendU32(b, uint32(t))
	}
	for range rw.routines {
		b = appendU32(b, uint32(rw.routineType()))
	}
	return appendSection(out, 3, rw.m.Functions+len(rw.routines), b)
}

// appendRoutines appends the code of the added functions. It runs before the types are written,
// because it adds one.
func (rw *rewrite) appendRoutines(code []byte) []byte {
	for _, r := range rw.routines {
		rw.routineType()
		body := r.body([]byte{0}, uint32(rw.m.imported()), int64(rw.chunk)) // no locals
		code = append(appendU32(code, uint32(len(body))), body...)
	}
	return code
}

// writeTables sets the maximum of every table to its minimum, so that it cannot grow.
func (rw *rewrite) writeTables(out []byte) []byte {
	if len(rw.m.tables) == 0 {
		return out
	}
	var b []byte
	for _, t := range rw.m.tables {
		b = appendU32(append(b, byte(t.of), 1), t.min)
		b = appendU32(b, t.min)
	}
	return appendSection(out, 4, len(rw.m.tables), b)
}

func (rw *rewrite) writeMemory(out []byte, pages uint32) []byte {
	if !rw.m.HasMemory {
		return out
	}
	most := max(pages, rw.m.memory.min)
	if rw.m.memory.hasMax {
		most = min(most, rw.m.memory.max)
	}
	return appendSection(out, 5, 1, appendU32(appendU32([]byte{1}, rw.m.memory.min), most))
}

func (rw *rewrite) writeGlobals(out []byte, stackBytes int64) []byte {
	var b []byte
	for _, g := range rw.m.globals {
		mutable := byte(0)
		if g.mutable {
			mutable = 1
		}
		b = append(append(b, byte(g.of), mutable), g.init...)
	}
	b = append(appendS64(append(b, byte(I64), 1, 0x42), int64(Pack(0, stackBytes))), 0x0b)
	for _, f := range rw.m.references {
		if f == noFunction {
			b = append(b, byte(I64), 1, 0x42, 0, 0x0b) // mutable, i64.const 0
			continue
		}
		b = append(appendU32(append(b, byte(FuncRef), 0, 0xd2), uint32(rw.m.shifted(f))), 0x0b)
	}
	return appendSection(out, 6, rw.m.Globals+1+len(rw.m.references), b)
}

func (rw *rewrite) writeExports(out []byte) (_ []byte, globals, blockGlobals []string) {
	var b []byte
	for _, e := range rw.m.exports {
		index := e.index
		if e.kind == KindFunction {
			index = rw.m.shifted(index)
		}
		b = appendU32(append(appendName(b, e.name), byte(e.kind)), uint32(index))
	}
	export := func(name string, index uint32) {
		b = appendU32(append(appendName(b, name), byte(KindGlobal)), index)
	}
	for i, g := range rw.m.globals {
		if g.mutable {
			name := reserved + ".global." + strconv.Itoa(i)
			globals = append(globals, name)
			rw.resettable = rw.resettable && g.of != V128 && !g.of.isRef()
			export(name, uint32(i))
		}
	}
	export(CounterGlobal, rw.counter())
	for i, global := range rw.markGlobals {
		name := reserved + ".blocks." + strconv.Itoa(i)
		blockGlobals = append(blockGlobals, name)
		export(name, global)
	}
	return appendSection(out, 7, len(rw.m.exports)+len(globals)+1+len(blockGlobals), b), globals, blockGlobals
}

// Scan decodes and validates a module.
//
// # Errors
//
// An *Error that names the section, the offset and, if one was exceeded, the limit.
func Scan(wasm []byte, limits Limits) (*Module, error) {
	m, err := parse(wasm, limits)
	if err != nil {
		return nil, err
	}
	b := newBodies(m, nil)
	for i := range m.bodies {
		if _, err := b.function(i); err != nil {
			return nil, err
		}
	}
	return m, nil
}
