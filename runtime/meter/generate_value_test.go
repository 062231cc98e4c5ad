package meter

import (
	"encoding/binary"
	"math"
)

// Generated code that leaves a value on the stack.

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

// call calls an earlier function that returns a t, directly or through the table, which holds the
// first three functions.
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
			g.i32(f)
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
	address := func() { g.masked(0x3fff, depth-1) }
	switch n := g.pick(10); t {
	case I32:
		switch n {
		case 0:
			unary(I32, between(0x67, 0x69))
		case 1:
			binary(I64, between(0x51, 0x5a))
		case 2:
			binary(F64, between(0x61, 0x66))
		case 3:
			g.value(F32, depth-1)
			g.misc(g.pick(2))
		case 4:
			address()
			g.op(between(0x2c, 0x2d), 0, 8)
		case 5:
			unary(V128, 0xfd, 27, between(0, 3))
		case 6:
			unary(V128, 0xfd, 83)
		case 8: // table.size
			g.misc(16)
			g.op(0)
		case 9: // whether an element of the table is null
			g.masked(3, depth-1)
			g.op(0x25, 0, 0xd1)
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
			g.value(F64, depth-1)
			g.misc(6 + g.pick(2))
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
