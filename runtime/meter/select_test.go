package meter

import (
	"testing"

	"github.com/tetratelabs/wazero"
)

// manySelects is a module whose function holds many selected values of one type at once, more than
// there are registers, and then adds them up. Its parameter is a condition for each, one bit.
func manySelects(t ValueType, n int) []byte {
	g := &generator{}
	for i := range n {
		for _, v := range []int64{int64(i + 1), int64(-i - 1)} {
			g.op(0x42)
			g.code = appendS64(g.code, v)
			switch t { // values that are not constants to the compiler
			case F64:
				g.op(0x20, 0, 0xad, 0x7c, 0xb9)
			case F32:
				g.op(0x20, 0, 0xad, 0x7c, 0xb4)
			case V128:
				g.op(0x20, 0, 0xad, 0x7c, 0xfd, 18)
			}
		}
		g.op(0x20, 0, 0x41)
		g.code = appendS64(g.code, int64(i))
		g.op(0x76, 0x41, 1, 0x71, 0x1b) // the i-th bit, select
	}
	for range n - 1 {
		switch t {
		case F64:
			g.op(0xa0)
		case F32:
			g.op(0x92)
		case V128:
			g.op(0xfd, 0xce, 1) // i64x2.add
		}
	}
	switch t {
	case F64:
		g.op(0xb0)
	case F32:
		g.op(0xae)
	case V128:
		g.op(0xfd, 29, 0)
	}
	module := header + sect(1, "\x01\x60\x01\x7f\x01\x7e") + oneFunc + oneMemory + sect(7, "\x01\x02f0\x00\x00")
	return []byte(module + body(string(g.code)+"\x0b"))
}

// TestSelectIsLoweredM17 compares selects of floats and vectors, rewritten and compiled, with the
// interpreter. wazero v1.12.0 miscompiles them on amd64 under register pressure (wazero pull
// request 2535); the test only logs whether it still does.
func TestSelectIsLoweredM17(t *testing.T) {
	typ := FuncType{Params: []ValueType{I32}, Results: []ValueType{I64}}
	wrong := 0
	for _, of := range []ValueType{F32, F64, V128} {
		for _, n := range []int{2, 12, 20, 40} {
			wasm := manySelects(of, n)
			rewritten, err := Rewrite(wasm, Limits{}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			truth := newMachine(t, wazero.NewRuntimeConfigInterpreter(), wasm, 0)
			compiled := newMachine(t, wazero.NewRuntimeConfigCompiler(), rewritten.Wasm, 1<<40)
			original := newMachine(t, wazero.NewRuntimeConfigCompiler(), wasm, 0)
			for _, bits := range []uint64{0, 1, 0xffffffff, 0xaaaaaaaa, 0x12345678} {
				want := truth.call("f0", typ, []uint64{bits})
				if got := compiled.call("f0", typ, []uint64{bits}); got != want {
					t.Errorf("%d selects of %v, bits %x: rewritten and compiled%s, interpreted%s", n, of, bits, got, want)
				}
				if original.call("f0", typ, []uint64{bits}) != want {
					wrong++
				}
			}
		}
	}
	t.Logf("unrewritten, the engine gets %d of 60 wrong", wrong)
}
