package meter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
)

// countdown is: subtract one from the parameter, and leave it on the stack.
const countdown = "\x20\x00\x41\x01\x6b\x22\x00"

// unpaid are function bodies that would run for millions of turns, one for each way to run again
// without reaching the function's end. The type of the function is 0, (i32) -> (), and 1 is
// (i32) -> (i32). The function is the only element of the table.
var unpaid = []struct{ name, code string }{
	{"br", "\x03\x40" + countdown + "\x04\x40\x0c\x01\x0b\x0b"},
	{"br with an operand", "\x41\x05\x03\x01\x1a" + countdown + "\x04\x40\x41\x05\x0c\x01\x0b\x41\x05\x0b\x1a"},
	{"br_if", "\x03\x40" + countdown + "\x0d\x00\x0b"},
	{"br_if with an operand", "\x41\x05\x03\x01" + countdown + "\x0d\x00\x0b\x1a"},
	{"br_table", "\x02\x40\x03\x40" + countdown + "\x45\x0e\x01\x00\x01\x0b\x0b"},
	{"inner loop", "\x03\x40\x03\x40" + countdown + "\x41\x07\x71\x0d\x00\x0b\x20\x00\x0d\x00\x0b"},
	{"outer loop", "\x03\x40\x03\x40\x41\x00\x0d\x00\x0b" + countdown + "\x0d\x00\x0b"},
	{"dispatch table", "\x03\x40\x02\x40\x20\x01\x0e\x01\x00\x00\x0b" + countdown + "\x04\x40\x41\x00\x21\x01\x0c\x01\x0b\x0b"},
	{"recursion", "\x20\x00\x04\x40" + countdown + "\x10\x00\x0b"},
	{"call doubling", "\x20\x00\x04\x40\x20\x00\x41\x05\x76\x10\x00\x20\x00\x41\x01\x76\x10\x00\x20\x00\x41\x01\x76\x10\x00\x0b"},
	{"indirect recursion", "\x20\x00\x04\x40" + countdown + "\x41\x00\x11\x00\x00\x0b"},
	{"recursion after return", "\x20\x00\x45\x04\x40\x0f\x0b" + countdown + "\x10\x00"},
}

// TestEverythingThatRepeatsYieldsX1: a function in which each turn is cheap ends when its fuel is
// used up, in every form of a loop and of recursion.
func TestEverythingThatRepeatsYieldsX1(t *testing.T) {
	const slice, most = 1000, 20_000 // the interpreter's call stack has 2,000 frames
	for _, tc := range unpaid {
		code := "\x01\x01\x7f" + tc.code + "\x0b" // one local
		wasm := header + sect(1, "\x02\x60\x01\x7f\x00\x60\x01\x7f\x01\x7f") + oneFunc + sect(4, "\x01\x70\x00\x01") +
			sect(7, "\x01\x02f0\x00\x00") + sect(9, "\x01\x00\x41\x00\x0b\x01\x00") +
			sect(10, "\x01"+string(appendU32(nil, uint32(len(code))))+code)
		r, err := Rewrite([]byte(wasm), Limits{}, Options{})
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		for engine, config := range map[string]wazero.RuntimeConfig{
			"compiled": wazero.NewRuntimeConfigCompiler(), "interpreted": wazero.NewRuntimeConfigInterpreter(),
		} {
			m := newMachine(t, config, r.Wasm, slice)
			m.most = most
			got := m.call("f0", FuncType{Params: []ValueType{I32}}, []uint64{20_000_001})
			if want := fmt.Sprint(errStopped, ": fuel"); !strings.HasPrefix(got, want) || m.granted > most+slice || m.yields < most/slice {
				t.Errorf("%s, %s: %q after %d fuel and %d yields", tc.name, engine, got, m.granted, m.yields)
			}
			m.close()
		}
	}
}
