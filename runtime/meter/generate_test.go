package meter

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// generator makes valid modules that end: loops count down, functions call only those before them. They use every kind of
// instruction that the rewriter touches or has to leave alone. Bits of NaNs, which engines may choose, stay out of integers and memory.
type generator struct {
	*rand.Rand
	code    []byte
	types   []FuncType
	funcs   []FuncType // own functions
	globals []ValueType
	locals  []ValueType
	params  int
	guarded map[int]bool // locals that count loops
	fn      int          // the function at hand
	fuel    int          // how much more may be generated in it
	loops   int          // how deep in loops
}

const generatedFunctions = 6

var numeric = []ValueType{I32, I64, F32, F64, V128}

func (g *generator) op(b ...byte) { g.code = append(g.code, b...) }
func (g *generator) u(v int)      { g.code = appendU32(g.code, uint32(v)) }
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

// constant emits a constant.
func (g *generator) constant(t ValueType) {
	switch t {
	case I32:
		g.op(0x41)
		g.code = appendS64(g.code, int64(int32(g.interesting())))
	case I64:
		g.op(0x42)
		g.code = appendS64(g.code, int64(g.interesting()))
	case F32:
		g.op(0x43)
		g.code = binary.LittleEndian.AppendUint32(g.code, math.Float32bits(float32(g.float())))
	case F64:
		g.op(0x44)
		g.code = binary.LittleEndian.AppendUint64(g.code, math.Float64bits(g.float()))
	case V128:
		g.op(0xfd, 12)
		g.code = binary.LittleEndian.AppendUint64(g.code, g.interesting())
		g.code = binary.LittleEndian.AppendUint64(g.code, g.interesting())
	}
}

func (g *generator) interesting() uint64 {
	switch g.pick(4) {
	case 0:
		return uint64(g.pick(20)) - 4
	case 1:
		return 1 << g.pick(64)
	case 2:
		return math.MaxUint64 >> g.pick(64)
	}
	return g.Uint64()
}

func (g *generator) float() float64 {
	return []float64{0, 1, -1, 0.5, 1e9, -1e9, 1e300, math.Inf(1), math.Inf(-1), math.NaN(), g.NormFloat64() * 1000}[g.pick(11)]
}

// value emits code that leaves one value.
func (g *generator) value(t ValueType, depth int) {
	g.fuel--
	if depth <= 0 || g.fuel <= 0 {
		g.leaf(t)
		return
	}
	switch g.pick(12) {
	case 0, 1:
		g.leaf(t)
	case 2: // select, without and with a type
		g.value(t, depth-1)
		g.value(t, depth-1)
		g.value(I32, depth-1)
		if g.pick(2) == 0 {
			g.op(0x1b)
		} else {
			g.op(0x1c, 1, byte(t))
		}
	case 3: // if
		g.value(I32, depth-1)
		g.op(0x04, byte(t))
		g.value(t, depth-1)
		g.op(0x05)
		g.value(t, depth-1)
		g.op(0x0b)
	case 4: // a block that may be left early
		g.op(0x02, byte(t))
		g.value(t, depth-1)
		g.value(I32, depth-1)
		g.op(0x0d, 0, 0x1a)
		g.statement(depth - 1)
		g.value(t, depth-1)
		g.op(0x0b)
	case 5:
		g.call(t, depth)
	case 6:
		g.local(t, depth)
	case 7: // a block of several values, of which one is kept
		other := g.anyType()
		g.value(t, depth-1)
		g.opU(0x02, g.typeIndex(FuncType{Params: []ValueType{t}, Results: []ValueType{t, other}}))
		g.value(other, depth-1)
		g.op(0x0b, 0x1a)
	default:
		g.operation(t, depth)
	}
}

func (g *generator) leaf(t ValueType) {
	var have []int
	for i, l := range g.locals {
		if l == t {
			have = append(have, i)
		}
	}
	for i, of := range g.globals {
		if of == t && g.pick(2) == 0 {
			g.opU(0x23, i)
			return
		}
	}
	if len(have) > 0 && g.pick(3) > 0 {
		g.opU(0x20, have[g.pick(len(have))])
		return
	}
	g.constant(t)
}

// local emits a local.tee of a local that counts no loop.
func (g *generator) local(t ValueType, depth int) {
	g.value(t, depth-1)
	for i, l := range g.locals {
		if l == t && !g.guarded[i] && g.pick(2) == 0 {
			g.opU(0x22, i)
			return
		}
	}
}

// call calls a function before this one that gives a t, directly or through the table, which holds the first three.
func (g *generator) call(t ValueType, depth int) {
	for f := range g.fn {
		of := g.funcs[f]
		if len(of.Results) == 0 || of.Results[0] != t || g.pick(2) == 0 || g.loops > 1 {
			continue
		}
		for _, p := range of.Params {
			g.value(p, depth-2)
		}
		if g.fn >= 3 && f < 3 && g.pick(2) == 0 {
			g.op(0x41)
			g.code = appendS64(g.code, int64(f))
			g.opU(0x11, g.typeIndex(of))
			g.u(0)
		} else {
			g.opU(0x10, f)
		}
		for range of.Results[1:] {
			g.op(0x1a)
		}
		return
	}
	g.leaf(t)
}

// operation emits an instruction with operands.
func (g *generator) operation(t ValueType, depth int) {
	between := func(from, to int) byte { return byte(from + g.pick(to-from+1)) }
	unary := func(of ValueType, op ...byte) {
		g.value(of, depth-1)
		g.op(op...)
	}
	binary := func(of ValueType, op ...byte) {
		g.value(of, depth-1)
		g.value(of, depth-1)
		g.op(op...)
	}
	address := func() {
		g.value(I32, depth-1)
		g.op(0x41)
		g.code = appendS64(g.code, 0x3fff)
		g.op(0x71)
	}
	switch n := g.pick(8); t {
	case I32:
		switch n {
		case 0:
			unary(I32, between(0x67, 0x69))
		case 1:
			binary(I64, between(0x51, 0x5a))
		case 2:
			binary(F64, between(0x61, 0x66))
		case 3:
			unary(F32, 0xfc, between(0, 1))
		case 4:
			address()
			g.op(between(0x2c, 0x2d), 0, 8)
		case 5:
			unary(V128, 0xfd, 27, between(0, 3))
		case 6:
			unary(V128, 0xfd, 83)
		default:
			binary(I32, between(0x6a, 0x78))
		}
	case I64:
		switch n {
		case 0:
			unary(I64, between(0x79, 0x7b))
		case 1:
			unary(I32, between(0xac, 0xad))
		case 2:
			unary(F64, 0xfc, between(6, 7))
		case 3:
			unary(F64, 0xb0) // traps when it does not fit
		case 4:
			address()
			g.op(0x29, 3, 0)
		case 5:
			unary(V128, 0xfd, 29, between(0, 1))
		default:
			binary(I64, between(0x7c, 0x8a))
		}
	case F32:
		switch n {
		case 0:
			unary(F32, between(0x8b, 0x91))
		case 1:
			unary(I32, between(0xb2, 0xb3))
		case 2:
			unary(F64, 0xb6)
		default:
			binary(F32, between(0x92, 0x97))
		}
	case F64:
		switch n {
		case 0:
			unary(F64, between(0x99, 0x9f))
		case 1:
			unary(I64, between(0xb9, 0xba))
		case 2:
			unary(F32, 0xbb)
		default:
			binary(F64, between(0xa0, 0xa5))
		}
	case V128:
		switch n {
		case 0:
			unary(I32, 0xfd, between(15, 17))
		case 1:
			address()
			g.op(0xfd, 0, 4, 0)
		case 2:
			g.value(V128, depth-1)
			g.value(I32, depth-1)
			g.op(0xfd, 0xab, 1) // i32x4.shl
		case 3:
			binary(V128, 0xfd, between(35, 64))
		case 4:
			g.value(V128, depth-1)
			g.value(V128, depth-1)
			g.op(0xfd, 13)
			for range 16 {
				g.op(byte(g.pick(32)))
			}
		case 5:
			g.value(V128, depth-1)
			g.value(I64, depth-1)
			g.op(0xfd, 30, between(0, 1))
		case 6:
			binary(V128, 0xfd, 0xae, 1) // i32x4.add
		default:
			binary(V128, 0xfd, between(78, 81))
		}
	}
}

// statement emits code that leaves nothing.
func (g *generator) statement(depth int) {
	g.fuel--
	if depth <= 0 || g.fuel <= 0 {
		g.op(0x01)
		return
	}
	switch g.pick(11) {
	case 0:
		t := g.anyType()
		g.value(t, depth-1)
		g.op(0x1a)
	case 1:
		i := g.pick(len(g.globals))
		g.value(g.globals[i], depth-1)
		g.opU(0x24, i)
	case 2: // an integer store
		g.value(I32, depth-1)
		g.op(0x41)
		g.code = appendS64(g.code, 0x3fff)
		g.op(0x71)
		if g.pick(2) == 0 {
			g.value(I64, depth-1)
			g.op(0x37, 0, 4)
		} else {
			g.value(I32, depth-1)
			g.op(0x3a, 0, 1)
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
			g.value(I32, depth-2)
			g.op(0x41)
			g.code = appendS64(g.code, int64(most))
			g.op(0x71)
		}
		if g.pick(2) == 0 {
			g.op(0xfc, 10, 0, 0)
		} else {
			g.op(0xfc, 11, 0)
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
	case 9: // code that cannot be reached, with a select of unknown types
		g.op(0x02, 0x40, 0x0c, 0, 0x1b, 0x1a, 0x0b)
	default:
		g.statement(depth - 1)
		g.statement(depth - 1)
	}
}

// loop emits a loop of a few turns.
func (g *generator) loop(depth int) {
	if g.loops == 2 {
		g.op(0x01)
		return
	}
	counter := len(g.locals)
	g.locals = append(g.locals, I32)
	g.guarded[counter] = true
	g.loops++
	g.op(0x41, byte(1+g.pick(20)))
	g.opU(0x21, counter)
	g.op(0x03, 0x40)
	g.statement(depth - 1)
	g.statement(depth - 1)
	g.opU(0x20, counter)
	g.op(0x41, 1, 0x6b)
	g.opU(0x22, counter)
	g.op(0x0d, 0, 0x0b)
	g.loops--
}

// module makes a module. Its functions are exported as f0, f1 …, its globals as g0 …, its memory as m.
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
		g.code, g.guarded, g.fn, g.fuel, g.loops = nil, map[int]bool{}, i, 150, 0
		g.locals, g.params = append([]ValueType(nil), t.Params...), len(t.Params)
		for _, l := range numeric {
			g.locals = append(g.locals, l)
		}
		for range 3 {
			g.statement(5)
		}
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
	out := []byte("\x00asm\x01\x00\x00\x00")
	var types, functions, globals, exports []byte
	for _, t := range g.types {
		types = appendType(types, t)
	}
	for i, t := range g.funcs {
		functions = appendU32(functions, uint32(g.typeIndex(t)))
		exports = append(appendName(exports, "f"+string(rune('0'+i))), 0, byte(i))
	}
	for i, t := range g.globals {
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
	out = appendSection(out, 6, len(g.globals), globals)
	out = appendSection(out, 7, len(g.funcs)+len(g.globals)+1, exports)
	out = appendSection(out, 9, 1, []byte{0, 0x41, 0, 0x0b, 3, 0, 1, 2})
	return appendSection(out, 10, len(g.funcs), bodies)
}

func generate(seed uint64) []byte {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	return g.module()
}
