package meter

import (
	"runtime"
	"strings"
	"testing"
)

// TestDeadCodeDoesNotGrowM21: nothing is injected into unreachable code, so it keeps its length.
func TestDeadCodeDoesNotGrowM21(t *testing.T) {
	const n = 10_000
	for _, tc := range []struct{ name, code string }{
		{"memory.grow", "\x00" + strings.Repeat("\x40\x00", n) + "\x1a"},
		{"memory.copy", "\x00" + strings.Repeat("\xfc\x0a\x00\x00", n)},
		{"in a block", "\x00\x02\x40\x41\x00" + strings.Repeat("\x40\x00", n) + "\x1a\x0b"},
		{"in an else", "\x00\x41\x00\x04\x40\x05\x41\x00" + strings.Repeat("\x40\x00", n) + "\x1a\x0b"},
		{"branches to a loop", "\x03\x40\x00" + strings.Repeat("\x0c\x00", n) + "\x0b"},
		{"conditional branches to a loop", "\x03\x40\x00" + strings.Repeat("\x0d\x00", n) + "\x0b"},
		{"tables to a loop", "\x03\x40\x00" + strings.Repeat("\x0e\x00\x00", n) + "\x0b"},
		{"selects", "\x00" + strings.Repeat("\x1c\x01\x7c\x1a", n)},
		{"table.grow", "\x00" + strings.Repeat("\xfc\x0f\x00\x1a", n)},
	} {
		wasm := withTable + oneMemory + body(tc.code+"\x0b")
		r, err := Rewrite([]byte(wasm), Limits{}, Options{})
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if more := len(r.Wasm) - len(wasm); more > 200 { // added to every module
			t.Errorf("%s: %d bytes become %d", tc.name, len(wasm), len(r.Wasm))
		}
	}
	// The code after a block that ended early is reachable, and is charged.
	r, err := Rewrite([]byte(withTable+oneMemory+body("\x02\x40\x0c\x00\x0b\x41\x00\x40\x00\x1a\x0b")), Limits{}, Options{})
	if err != nil || !strings.Contains(string(r.Wasm), "\x42\x08\x86") { // i64.const 8, i64.shl: the charge of memory.grow
		t.Errorf("a reachable memory.grow is not charged (%v)", err)
	}
}

// TestGrowthOfCodeIsBoundedM21: a module whose code would grow too much is rejected before it has
// grown, within the memory of a few modules.
func TestGrowthOfCodeIsBoundedM21(t *testing.T) {
	const n = 200_000
	counted := func(n int, one string) string {
		return string(appendU32(nil, uint32(n))) + strings.Repeat(one, n)
	}
	for _, tc := range []struct{ name, wasm string }{
		{"memory.grow in a row", withTable + oneMemory + body("\x41\x00"+strings.Repeat("\x40\x00", n)+"\x1a\x0b")},
		{"functions of nothing", header + emptyType + sect(3, counted(n/2, "\x00")) + sect(10, counted(n/2, "\x02\x00\x0b"))},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Rewrite([]byte(tc.wasm), Limits{}, Options{})
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "bytes that are allowed, 2 times the module and 64 KiB") {
			t.Errorf("%s: %v", tc.name, err)
		}
		// Slices that grow take a few times what they end with, and a function has 100 bytes of its
		// own.
		if took, most := after.TotalAlloc-before.TotalAlloc, uint64(8*mostCode([]byte(tc.wasm))+100*n); took > most {
			t.Errorf("%s: %d bytes were allocated for a module of %d; %d are allowed", tc.name, took, len(tc.wasm), most)
		}
	}
}
