package meter

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// counting rewrites a generated module as Rewrite does, and has it count every single instruction
// of the original that it executes, in its last global.
func counting(t *testing.T, wasm []byte) (*Module, []byte) {
	t.Helper()
	m, err := parse(wasm, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	rw := newRewrite(m, Options{})
	b := newBodies(m, rw)
	b.room = 1 << 30
	count := byte(len(numeric))
	var code []byte
	for i := range m.bodies {
		declared := b.begin(i)
		for b.err == nil && len(b.control) > 0 {
			if op := m.wasm[b.pos]; op != 0x02 { // a block costs nothing
				b.flush(b.pos)
				b.code = append(b.code, 0x23, count, 0x42, 1, 0x7c, 0x24, count) // global.get, i64.const 1, i64.add, global.set
			}
			b.instruction()
		}
		if b.err != nil {
			t.Fatal(b.err)
		}
		body := b.assemble(declared, m.types[m.funcs[i]])
		code = append(appendU32(code, uint32(len(body))), body...)
	}
	return m, rw.finish(code, Options{}).Wasm
}

// TestFuelCoversWork: on every path a function pays for each instruction that it executes, and if
// it ends without a trap, it does not pay a multiple of that.
func TestFuelCoversWork(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 40
	}
	var executed, paid int64
	for seed := range uint64(n) {
		m, wasm := counting(t, generate(seed))
		machine := newMachine(t, wazero.NewRuntimeConfigInterpreter(), wasm, 1<<20)
		count := machine.module.ExportedGlobal("g" + strconv.Itoa(len(numeric))).(api.MutableGlobal)
		r := rand.New(rand.NewPCG(seed, 13))
		for f := range m.Functions {
			typ := m.types[m.funcs[f]]
			before := machine.used()
			count.Set(0)
			got := machine.call("f"+strconv.Itoa(f), typ, arguments(r, typ))
			did, cost := int64(count.Get()), machine.used()-before
			if did > cost {
				t.Fatalf("seed %d, f%d executed %d instructions for %d fuel: %s", seed, f, did, cost, got)
			}
			if !strings.HasPrefix(got, "wasm error") {
				executed, paid = executed+did, paid+cost
			}
		}
		machine.close()
	}
	t.Logf("%d instructions for %d fuel: %.2f each", executed, paid, float64(paid)/float64(executed))
	if paid > 4*executed { // measured 3.3; frames and bulk operations are a large part of it
		t.Errorf("%d fuel for %d instructions", paid, executed)
	}
}

// TestGrowthBeyondLimitIsCheapX7: growing memory beyond the limit fails and costs no more than
// growing to the limit.
func TestGrowthBeyondLimitIsCheapX7(t *testing.T) {
	wasm := header + sect(1, "\x01\x60\x01\x7f\x01\x7f") + oneFunc + oneMemory + sect(7, "\x01\x02f0\x00\x00") +
		sect(10, "\x01\x06\x00\x20\x00\x40\x00\x0b")
	r, err := Rewrite([]byte(wasm), Limits{MemoryPages: 16}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	typ := FuncType{Params: []ValueType{I32}, Results: []ValueType{I32}}
	for pages, want := range map[uint32]string{0xffffffff: " ffffffff", 17: " ffffffff", 15: " 1"} {
		m := newMachine(t, wazero.NewRuntimeConfigCompiler(), r.Wasm, 10_000)
		m.most = 20_000
		if got := m.call("f0", typ, []uint64{uint64(pages)}); got != want {
			t.Errorf("growing by %d pages: %s, want %s", pages, got, want)
		}
	}
}

// TestFuelOfADispatchLoop: the main loop of an interpreter pays for the cases taken, not for the
// cases between them.
func TestFuelOfADispatchLoop(t *testing.T) {
	const cases, caseLength, turns = 64, 200, 10_000
	var code, labels []byte
	for i := range cases - 1 {
		labels = append(labels, byte(i))
	}
	code = append(code, 0x03, 0x40) // loop
	for range cases {
		code = append(code, 0x02, 0x40) // block
	}
	code = append(code, 0x20, 0, 0x41, cases-1, 0x71, 0x0e, cases-1) // local.get, i32.const, i32.and, br_table
	code = append(append(code, labels...), cases-1)
	for i := range cases {
		code = append(code, 0x0b)                                            // end: here a case begins
		code = append(code, bytes.Repeat([]byte{0x01}, caseLength)...)       // nop
		code = append(code, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d)           // local.get, i32.const, i32.sub, local.tee, br_if
		code = append(appendU32(code, uint32(cases-1-i)), 0x41, 0, 0x1a, 15) // the loop; i32.const, drop, return
	}
	code = append(code, 0x0b, 0x0b)
	wasm := header + sect(1, "\x01\x60\x01\x7f\x00") + oneFunc + sect(7, "\x01\x02f0\x00\x00") + body(string(code))
	r, err := Rewrite([]byte(wasm), Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, wazero.NewRuntimeConfigCompiler(), r.Wasm, 1<<20)
	m.most = 1 << 40
	m.call("f0", FuncType{Params: []ValueType{I32}}, []uint64{turns})
	const work = turns * (caseLength + 9)
	if used := m.used(); used < work || used > work*5/4 {
		t.Errorf("%d fuel for %d instructions", used, work)
	}
}

// TestFuelOfBranches: a function pays for the longer of two branches, not for both, and for the way
// around an if without else.
func TestFuelOfBranches(t *testing.T) {
	nops := func(n int) string { return strings.Repeat("\x01", n) }
	fuel := func(code string) int64 {
		wasm := header + sect(1, "\x01\x60\x01\x7f\x00") + oneFunc + sect(7, "\x01\x02f0\x00\x00") + body(code+"\x0b")
		r, err := Rewrite([]byte(wasm), Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := newMachine(t, wazero.NewRuntimeConfigInterpreter(), r.Wasm, 1<<20)
		m.most = 1 << 30
		m.call("f0", FuncType{Params: []ValueType{I32}}, []uint64{1})
		return m.used()
	}
	const condition = "\x20\x00\x04\x40" // local.get, if
	flat := fuel(condition + "\x0b")
	for _, test := range []struct {
		name, code string
		want       int64
	}{
		{"a long then", condition + nops(100) + "\x05" + nops(30) + "\x0b", 100},
		{"a long else", condition + nops(30) + "\x05" + nops(100) + "\x0b", 100},
		{"no else", condition + nops(100) + "\x0b", 100},
		{"code after both", condition + nops(100) + "\x05" + nops(30) + "\x0b" + nops(50), 150},
		{"a return in one of them", condition + nops(100) + "\x0f\x0b" + nops(50), 100},
		{"a return behind a longer way", condition + nops(30) + "\x0f\x0b" + nops(100), 100},
	} {
		// Beside the nops, a branch has an else or a return, and one that returns lacks the ends.
		if got := fuel(test.code) - flat; got < test.want-2 || got > test.want+2 {
			t.Errorf("%s costs %d fuel, want %d", test.name, got, test.want)
		}
	}
}

// TestInstanceFuel: an instance pays for each part that the engine makes for it.
func TestInstanceFuel(t *testing.T) {
	price := func(sections string) int64 {
		r, err := Rewrite([]byte(header+sect(1, "\x01\x60\x00\x00")+oneFunc+sections), Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r.InstanceFuel
	}
	const table, code = "\x04\x04\x01\x70\x00\x64", "\x0a\x04\x01\x02\x00\x0b" // of a hundred elements
	elements := func(n int) string {
		return sect(9, "\x01\x00\x41\x00\x0b"+string(rune(n))+strings.Repeat("\x00", n))
	}
	plain := price(table + code)
	for _, test := range []struct {
		name, sections string
		least          int64
	}{
		{"a segment", table + elements(0) + code, perSegment},
		{"elements", table + elements(90) + code, perSegment + 90*perElement},
		{"globals", table + sect(6, "\x02\x7f\x00\x41\x00\x0b\x7f\x00\x41\x00\x0b") + code, 2 * perGlobal},
		{"an export", table + sect(7, "\x01\x01f\x00\x00") + code, perExport},
	} {
		if got := price(test.sections) - plain; got < test.least {
			t.Errorf("%s: %d fuel, want %d at least", test.name, got, test.least)
		}
	}
}
