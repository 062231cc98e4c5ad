package meter

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
)

// recursion is a module whose function calls itself for ever, with so many locals that live across
// the call.
func recursion(locals int) []byte {
	g := &generator{}
	for i := range locals {
		g.opU(0x20, 0)
		g.op(0x42)
		g.code = appendS64(g.code, int64(i+3))
		g.op(0x7e) // i64.mul
		g.opU(0x21, i+1)
	}
	g.opU(0x20, 0)
	g.op(0x42, 1, 0x7c, 0x10, 0)
	for i := range locals {
		g.opU(0x20, i+1)
		g.op(0x85) // i64.xor
	}
	code := "\x01" + string(appendU32(nil, uint32(locals))) + "\x7e" + string(g.code) + "\x0b"
	return []byte(header + sect(1, "\x01\x60\x01\x7e\x01\x7e") + oneFunc + oneMemory + sect(7, "\x01\x02f0\x00\x00") +
		sect(10, "\x01"+string(appendU32(nil, uint32(len(code))))+code))
}

// TestStackIsBoundedX5 runs endless recursion in frames with different numbers of locals.
func TestStackIsBoundedX5(t *testing.T) {
	for _, locals := range []int{0, 1, 10, 100, 1000} {
		stackIsBounded(t, fmt.Sprintf("%d locals", locals), recursion(locals))
	}
}

// stackIsBounded runs the function of a module, which recurses without end, and measures its
// memory: the meter must end the call before the engine's own limit, with less than 32 MiB of
// memory: the stack itself, and the one it is copied from as it grows.
func stackIsBounded(t *testing.T, frame string, wasm []byte) {
	t.Helper()
	r, err := Rewrite(wasm, Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, wazero.NewRuntimeConfigCompiler(), r.Wasm, 1<<40)
	before := resident(t)
	got := m.call("f0", FuncType{Params: []ValueType{I64}, Results: []ValueType{I64}}, []uint64{1})
	grown := resident(t) - before
	t.Logf("%s: %q, resident memory grew by %d KiB", frame, got, grown>>10)
	if !strings.HasPrefix(got, errStopped.Error()) {
		t.Errorf("%s: the engine's limit came first: %s", frame, got)
	}
	if grown > 32<<20 {
		t.Errorf("%s: resident memory grew by %d MiB", frame, grown>>20)
	}
}

// spilling is a module whose function calls another so many times, with a different value living
// across each call, and then itself. The engine's frame for it has a slot for each of these values,
// although it has only three locals.
func spilling(n int) []byte {
	g := &generator{}
	for i := range n {
		g.op(0x20, 0, 0x42)
		g.code = appendS64(g.code, int64(i+3))
		g.op(0x7e, 0x21, 1, 0x10, 1, 0x20, 1, 0x20, 2, 0x85, 0x21, 2) // set local 1, call the leaf, fold 1 into 2
	}
	g.op(0x20, 0, 0x42, 1, 0x7c, 0x10, 0, 0x20, 2, 0x85)
	code := "\x01\x02\x7e" + string(g.code) + "\x0b"
	return []byte(header + sect(1, "\x02\x60\x01\x7e\x01\x7e\x60\x00\x00") + sect(3, "\x02\x00\x01") + oneMemory +
		sect(7, "\x01\x02f0\x00\x00") + sect(10, "\x02"+string(appendU32(nil, uint32(len(code))))+code+"\x02\x00\x0b"))
}

// TestStackOfSpilledValuesIsBoundedX5 is TestStackIsBoundedX5 for frames that are larger than their
// locals.
func TestStackOfSpilledValuesIsBoundedX5(t *testing.T) {
	for _, n := range []int{10, 100, 1000, 5000} {
		stackIsBounded(t, fmt.Sprintf("%d values", n), spilling(n))
	}
}

// TestDeepRecursionWorks: a recursive JSON reader has enough stack for the deepest document
// allowed.
func TestDeepRecursionWorks(t *testing.T) {
	// depth(n) = n == 0 ? 0 : depth(n-1) + 1, with a frame of 20 locals
	g := &generator{}
	g.op(0x20, 0, 0x50, 0x04, 0x7e, 0x42, 0, 0x05, 0x20, 0, 0x42, 1, 0x7d, 0x10, 0, 0x42, 1, 0x7c, 0x0b, 0x0b)
	code := "\x01\x14\x7e" + string(g.code)
	wasm := header + sect(1, "\x01\x60\x01\x7e\x01\x7e") + oneFunc + oneMemory + sect(7, "\x01\x02f0\x00\x00") +
		sect(10, "\x01"+string(appendU32(nil, uint32(len(code))))+code)
	r, err := Rewrite([]byte(wasm), Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, wazero.NewRuntimeConfigCompiler(), r.Wasm, 1<<40)
	typ := FuncType{Params: []ValueType{I64}, Results: []ValueType{I64}}
	for range 3 { // the frames are freed each time
		if got := m.call("f0", typ, []uint64{10_000}); got != " 2710" {
			t.Errorf("10,000 calls deep: %s", got)
		}
	}
	if _, got := Unpack(m.counter.Get()); got != 8<<20 {
		t.Errorf("%d bytes of stack left afterwards, want all", got)
	}
}

// resident is the resident memory of the process in bytes; 0 if it is unknown.
func resident(t *testing.T) int {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Log("no /proc: memory is not measured")
		return 0
	}
	pages, err := strconv.Atoi(string(bytes.Fields(statm)[1]))
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
