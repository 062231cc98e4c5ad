package meter

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
)

// TestBlocksThatRun counts the blocks of a function with both arms of an if, and of one that nothing
// calls.
func TestBlocksThatRun(t *testing.T) {
	code := ""
	for _, b := range []string{"\x20\x00\x04\x7f\x41\x01\x05\x41\x02\x0b", "\x20\x00"} { // local.get 0, if, i32.const 1, else, i32.const 2, end
		code += string(rune(len(b)+2)) + "\x00" + b + "\x0b"
	}
	wasm := []byte(header + sect(1, "\x01\x60\x01\x7f\x01\x7f") + sect(3, "\x02\x00\x00") + sect(7, "\x01\x02f0\x00\x00") + sect(10, "\x02"+code))
	m, err := Rewrite(wasm, Limits{}, Options{Blocks: true})
	if err != nil {
		t.Fatal(err)
	}
	if m.Blocks != 5 || len(m.BlockGlobals) != 1 || strings.Contains(fmt.Sprint(m.Globals), m.BlockGlobals[0]) {
		t.Fatalf("%d blocks in %q; globals that are reset: %q", m.Blocks, m.BlockGlobals, m.Globals)
	}
	guest := newMachine(t, wazero.NewRuntimeConfigInterpreter(), m.Wasm, 1<<40)
	for _, call := range []struct {
		argument uint64
		ran      int
		want     string
	}{{1, 3, " 1"}, {1, 3, " 1"}, {0, 4, " 2"}} {
		got := guest.call("f0", FuncType{Params: []ValueType{I32}, Results: []ValueType{I32}}, []uint64{call.argument})
		if ran := bits.OnesCount64(guest.module.ExportedGlobal(m.BlockGlobals[0]).Get()); got != call.want || ran != call.ran {
			t.Errorf("f0(%d) = %s and %d blocks have run; want %s and %d", call.argument, got, ran, call.want, call.ran)
		}
	}
}
