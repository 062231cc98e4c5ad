package meter

import (
	"context"
	"runtime"
	"testing"

	"github.com/tetratelabs/wazero"
)

// turnsOf is a module whose function f0 executes some code as many times as its parameter says.
func turnsOf(code string) []byte {
	code = "\x03\x40" + code + "\x20\x00\x41\x01\x6b\x22\x00\x0d\x00\x0b\x0b" // loop … local.get, i32.const, i32.sub, local.tee, br_if
	return []byte(header + sect(1, "\x01\x60\x01\x7f\x00") + oneFunc + oneTable + oneMemory + sect(7, "\x01\x02f0\x00\x00") + body(code))
}

// TestReferencesAllocateNothingX26: code that takes a reference to a function repeatedly allocates
// no host memory.
func TestReferencesAllocateNothingX26(t *testing.T) {
	const turns = 100_000
	r, err := Rewrite(turnsOf("\xd2\x00\x1a"), Limits{}, Options{}) // ref.func, drop
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, wazero.NewRuntimeConfigCompiler(), r.Wasm, 1<<40)
	m.call("f0", FuncType{}, []uint64{1})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := m.module.ExportedFunction("f0").Call(context.Background(), turns); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n > turns/100 {
		t.Errorf("%d references took %d allocations", turns, n)
	}
}

// TestEngineCallsAreChargedX26: an instruction that calls the engine pays for the call; table.grow
// does not call it.
func TestEngineCallsAreChargedX26(t *testing.T) {
	const turns = 1000
	for _, tc := range []struct {
		name, code string
		least      int64
	}{
		{"memory.grow by nothing", "\x41\x00\x40\x00\x1a", 50 * turns},
		{"table.grow by nothing", "\xd0\x70\x41\x00\xfc\x0f\x00\x1a", turns},
	} {
		r, err := Rewrite(turnsOf(tc.code), Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := newMachine(t, wazero.NewRuntimeConfigCompiler(), r.Wasm, 1<<30)
		m.call("f0", FuncType{}, []uint64{turns})
		if used := m.used(); used < tc.least {
			t.Errorf("%s: %d fuel for %d of them, want %d", tc.name, used, turns, tc.least)
		}
	}
}

// TestTableGrowFailsM4: growing a table by zero returns its size; growing by more fails with -1.
func TestTableGrowFailsM4(t *testing.T) {
	wasm := header + sect(1, "\x01\x60\x01\x7f\x01\x7f") + oneFunc + oneTable + sect(7, "\x01\x02f0\x00\x00") +
		body("\xd0\x70\x20\x00\xfc\x0f\x00\x0b")
	r, err := Rewrite([]byte(wasm), Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, wazero.NewRuntimeConfigCompiler(), r.Wasm, 1<<30)
	for by, want := range map[uint64]string{0: " 4", 1: " ffffffff", 1 << 31: " ffffffff", 1<<32 - 1: " ffffffff"} {
		if got := m.call("f0", FuncType{Results: []ValueType{I32}}, []uint64{by}); got != want {
			t.Errorf("growing by %d: %s, want %s", by, got, want)
		}
	}
}
