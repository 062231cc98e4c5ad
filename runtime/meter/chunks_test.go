package meter

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tetratelabs/wazero"
)

// bulkModule has a memory of some pages, a passive segment, and functions for the bulk operations
// on memory: f0 copies, f1 fills, f2 writes from the segment, f3 drops it.
func bulkModule(pages, segment int) []byte {
	three := "\x20\x00\x20\x01\x20\x02"
	var bodies []byte
	for _, code := range []string{three + "\xfc\x0a\x00\x00", three + "\xfc\x0b\x00", three + "\xfc\x08\x00\x00", "\xfc\x09\x00"} {
		bodies = append(appendU32(bodies, uint32(len(code)+2)), "\x00"+code+"\x0b"...)
	}
	data := make([]byte, segment)
	for i := range data {
		data[i] = byte(i*7 + i>>8)
	}
	out := []byte(header + sect(1, "\x02\x60\x03\x7f\x7f\x7f\x00\x60\x00\x00") + sect(3, "\x04\x00\x00\x00\x01") +
		sect(5, "\x01\x00"+string(appendU32(nil, uint32(pages)))) +
		sect(7, "\x05\x02f0\x00\x00\x02f1\x00\x01\x02f2\x00\x02\x02f3\x00\x03\x01m\x02\x00") + sect(12, "\x01"))
	out = appendSection(out, 10, 4, bodies)
	return appendSection(out, 11, 1, append(appendU32([]byte{1}, uint32(segment)), data...))
}

// TestBulkOperationsInChunks compares operations of many lengths and places, including overlapping
// and trapping ones, with the original on the interpreter: the whole memory must be the same
// afterwards, so an operation that traps wrote nothing.
func TestBulkOperationsInChunks(t *testing.T) {
	const segment, chunk = 1000, 64
	wasm := bulkModule(1, segment)
	r, err := Rewrite(wasm, Limits{}, Options{chunk: chunk})
	if err != nil {
		t.Fatal(err)
	}
	truth := newMachine(t, wazero.NewRuntimeConfigInterpreter(), wasm, 0)
	machines := []*machine{
		newMachine(t, wazero.NewRuntimeConfigInterpreter(), r.Wasm, 1000),
		newMachine(t, wazero.NewRuntimeConfigCompiler(), r.Wasm, 1000),
	}
	rnd := rand.New(rand.NewPCG(5, 8))
	size := uint32(1 << 16)
	place := func() uint64 {
		switch rnd.IntN(6) {
		case 0: // near the end of memory
			return uint64(size - rnd.Uint32N(5*chunk) + rnd.Uint32N(2*chunk))
		case 1: // near the end of 32 bits
			return uint64(-rnd.Uint32N(5*chunk) - 1)
		default:
			return uint64(rnd.Uint32N(8 * chunk))
		}
	}
	lengths := []uint32{0, 1, chunk - 1, chunk, chunk + 1, 2*chunk - 1, 2 * chunk, 2*chunk + 1, 7*chunk + 5, segment - 1, segment, segment + 1, size - 1, size, size + 1, 1 << 31, 1<<32 - 1}
	trapped, done := 0, 0
	for round := range 6000 {
		content := make([]byte, size)
		for i := range content[:1<<12] {
			content[i] = byte(rnd.Uint32())
		}
		name := []string{"f0", "f1", "f2"}[rnd.IntN(3)]
		args := []uint64{place(), place(), uint64(lengths[rnd.IntN(len(lengths))])}
		if rnd.IntN(4) == 0 && name == "f0" { // just above or below itself
			args[1] = (args[0] + uint64(rnd.Uint32N(2*chunk)) - chunk) & 0xffffffff
		}
		if round == 5000 {
			name, args = "f3", nil
		}
		call := func(m *machine) (string, []byte) {
			m.module.Memory().Write(0, content)
			got := m.call(name, FuncType{}, args)
			all, _ := m.module.Memory().Read(0, size)
			return got, all
		}
		want, memory := call(truth)
		if want == "" {
			done++
		} else {
			trapped++
		}
		for i, m := range machines {
			if got, all := call(m); got != want || !bytes.Equal(all, memory) {
				t.Fatalf("round %d, machine %d, %s%v: %q, want %q; memory is the same: %v", round, i, name, args, got, want, bytes.Equal(all, memory))
			}
		}
	}
	if trapped < 1000 || done < 1000 {
		t.Errorf("%d operations trapped and %d did not: one kind is hardly tried", trapped, done)
	}
}

// TestLongBulkOperationsYieldX3: an operation on 64 MiB yields to the host after every chunk, with
// any amount of fuel.
func TestLongBulkOperationsYieldX3(t *testing.T) {
	const pages, segment = 1024, 1 << 20
	r, err := Rewrite(bulkModule(pages, segment), Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const long = (pages - 1) << 16
	for _, tc := range []struct {
		name string
		args []uint64
	}{
		{"f0", []uint64{0, 1 << 16, long}},
		{"f0", []uint64{1 << 16, 0, long}},
		{"f1", []uint64{0, 1, pages << 16}},
		{"f2", []uint64{0, 0, segment}},
		{"f1", []uint64{0, 1, chunkBytes}},
	} {
		m := newMachine(t, wazero.NewRuntimeConfigCompiler(), r.Wasm, 1<<40)
		m.call(tc.name, FuncType{}, []uint64{0, 0, 0}) // the first charge yields in any case
		m.yields = 0
		want := int(tc.args[2]-1) / chunkBytes // plus one if the charge exceeds the rest of the slice
		if got := m.call(tc.name, FuncType{}, tc.args); got != "" || m.yields < want || m.yields > want+1 {
			t.Errorf("%s%v: %q with %d yields, want %d", tc.name, tc.args, got, m.yields, want)
		}
		m.close()
	}
}
