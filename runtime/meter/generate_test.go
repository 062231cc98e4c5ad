package meter

import (
	"math/rand/v2"
	"slices"
)

// generator makes valid modules that terminate: loops count down, functions call only earlier
// functions. They use every kind of instruction that the rewriter changes or must keep. Bits of
// NaNs, which engines may choose, stay out of integers and memory.
type generator struct {
	*rand.Rand
	code    []byte
	types   []FuncType
	funcs   []FuncType // own functions
	globals []ValueType
	locals  []ValueType
	params  int
	guarded map[int]bool // locals that count loops
	fn      int          // the current function
	fuel    int          // how much more may be generated in it
	loops   int          // depth of loops
	live    int          // locals of each type that hold a value of their own to the end; more than there are registers put the compiler under pressure
}

const generatedFunctions = 6

var numeric = []ValueType{I32, I64, F32, F64, V128}

func (g *generator) op(b ...byte) { g.code = append(g.code, b...) }

// u emits an unsigned number, now and then in a longer form than it needs.
func (g *generator) u(v int) {
	g.code = appendU32(g.code, uint32(v))
	for n := len(appendU32(nil, uint32(v))); g.Rand != nil && n < 5 && g.pick(16) == 0; n++ {
		g.code[len(g.code)-1] |= 0x80
		g.op(0)
	}
}

// misc emits an instruction of prefix 0xfc, up to its number.
func (g *generator) misc(n int) { g.op(0xfc, byte(n)) }

// i32 emits a constant, likewise.
func (g *generator) i32(v int) {
	g.op(0x41)
	g.code = appendS64(g.code, int64(v))
	for n := len(appendS64(nil, int64(v))); v >= 0 && n < 5 && g.pick(16) == 0; n++ {
		g.code[len(g.code)-1] |= 0x80
		g.op(0)
	}
}

// masked emits an i32 of no more than a mask.
func (g *generator) masked(mask, depth int) {
	g.value(I32, depth)
	g.i32(mask)
	g.op(0x71)
}
func (g *generator) opU(o byte, v int) {
	g.op(o)
	g.u(v)
}

func (g *generator) pick(n int) int { return g.IntN(n) }

func (g *generator) anyType() ValueType { return numeric[g.pick(len(numeric))] }

func (g *generator) typeIndex(t FuncType) int {
	for i, known := range g.types {
		if equalTypes(known.Params, t.Params) && equalTypes(known.Results, t.Results) {
			return i
		}
	}
	g.types = append(g.types, t)
	return len(g.types) - 1
}

// module makes a module. Its functions are exported as f0, f1 …, its globals as g0 …, its memory as
// m.
func (g *generator) module() []byte {
	for range generatedFunctions {
		var t FuncType
		for range g.pick(4) {
			t.Params = append(t.Params, g.anyType())
		}
		for range g.pick(4) {
			t.Results = append(t.Results, g.anyType())
		}
		g.funcs = append(g.funcs, t)
		g.typeIndex(t)
	}
	g.globals = numeric
	var bodies []byte
	for i, t := range g.funcs {
		g.code, g.guarded, g.fn, g.fuel, g.loops = nil, map[int]bool{}, i, 100, 0
		g.locals, g.params = append([]ValueType(nil), t.Params...), len(t.Params)
		g.locals = append(g.locals, numeric...)
		from := len(g.locals)
		g.begin()
		for range 3 {
			g.mix(from)
			g.statement(5)
		}
		g.keep(from)
		for _, r := range t.Results {
			g.value(r, 4)
		}
		own := g.locals[g.params:]
		body := appendU32(nil, uint32(len(own)))
		for _, l := range own {
			body = append(body, 1, byte(l))
		}
		body = append(append(body, g.code...), 0x0b)
		bodies = append(appendU32(bodies, uint32(len(body))), body...)
	}
	whole := FuncType{Results: []ValueType{V128}} // a function that returns the global of 128 bits, of which the engine lends half
	g.funcs = append(g.funcs, whole)
	g.typeIndex(whole)
	bodies = append(bodies, 4, 0, 0x23, byte(slices.Index(numeric, V128)), 0x0b)

	out := []byte("\x00asm\x01\x00\x00\x00")
	var types, functions, globals, exports []byte
	for _, t := range g.types {
		types = appendType(types, t)
	}
	for i, t := range g.funcs {
		functions = appendU32(functions, uint32(g.typeIndex(t)))
		exports = append(appendName(exports, "f"+string(rune('0'+i))), 0, byte(i))
	}
	for i, t := range append(g.globals[:len(g.globals):len(g.globals)], I64) { // the last is for TestFuelCoversWork
		g.code = nil
		g.constant(t)
		globals = append(append(append(globals, byte(t), 1), g.code...), 0x0b)
		exports = append(appendName(exports, "g"+string(rune('0'+i))), 3, byte(i))
	}
	exports = append(appendName(exports, "m"), 2, 0)
	out = appendSection(out, 1, len(g.types), types)
	out = appendSection(out, 3, len(g.funcs), functions)
	out = appendSection(out, 4, 1, []byte{0x70, 0, 4})
	out = appendSection(out, 5, 1, []byte{1, 1, 2})
	out = appendSection(out, 6, len(g.globals)+1, globals)
	out = appendSection(out, 7, len(g.funcs)+len(g.globals)+2, exports)
	out = appendSection(out, 9, 2, []byte{0, 0x41, 0, 0x0b, 3, 0, 1, 2, 1, 0, 3, 2, 1, 0}) // one active, one passive
	out = append(out, 12, 1, 1)
	out = appendSection(out, 10, len(g.funcs), bodies)
	return appendSection(out, 11, 1, []byte("\x01\x0810101010"))
}

// begin declares the locals that live to the end, and gives each a value.
func (g *generator) begin() {
	for range g.live {
		for _, t := range numeric {
			g.value(t, 1)
			g.opU(0x21, len(g.locals))
			g.locals = append(g.locals, t)
		}
	}
}

// mix computes integers of these locals from others. A divisor is odd.
func (g *generator) mix(from int) {
	for range 4 * g.live {
		t, local := g.pick(2), func() int { return from + len(numeric)*g.pick(g.live) }
		op := []int{0x6a, 0x7c}[t] + g.pick(15)
		g.opU(0x20, local()+t)
		g.opU(0x20, local()+t)
		if n := op - []int{0x6a, 0x7c}[t]; n >= 3 && n <= 6 {
			g.op([]byte{0x41, 0x42}[t], 1, []byte{0x72, 0x84}[t]) // or 1
		}
		g.op(byte(op))
		g.opU(0x21, local()+t)
	}
}

// keep stores the values of the locals behind the first ones in memory, floats as integers.
func (g *generator) keep(from int) {
	for i, t := range g.locals[from:] {
		g.i32(16 * i)
		g.opU(0x20, from+i)
		switch t {
		case I32:
			g.op(0x36, 2, 0)
		case I64:
			g.op(0x37, 3, 0)
		case F32:
			g.op(0xfc, 4, 0x37, 3, 0) // i64.trunc_sat_f32_s
		case F64:
			g.op(0xfc, 6, 0x37, 3, 0)
		case V128:
			g.op(0xfd, 11, 4, 0)
		}
	}
}

// generate makes a module from a seed. Of eight, one has functions of more values than there are
// registers: the compiler's mistakes are in spilling (faults.md M17).
func generate(seed uint64) []byte {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	if seed%8 == 3 {
		g.live = 16
	}
	return g.module()
}
