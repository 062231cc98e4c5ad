package wasi

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// guestOf makes a module that imports every function of WASI and exports functions of the same
// names that call them. Its memory has so many pages.
func guestOf(functions []Function, pages int) []byte {
	section := func(id byte, count int, body []byte) []byte {
		body = append(binary.AppendUvarint(nil, uint64(count)), body...)
		return append(binary.AppendUvarint([]byte{id}, uint64(len(body))), body...)
	}
	name := func(b []byte, s string) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	var types, imports, declared, exports, code []byte
	for i, f := range functions {
		types = append(append(append(types, 0x60, byte(len(f.Params))), f.Params...), byte(len(f.Results)))
		types = append(types, f.Results...)
		imports = append(name(name(imports, ModuleName), f.Name), 0, byte(i))
		declared = append(declared, byte(i))
		exports = binary.AppendUvarint(append(name(exports, f.Name), 0), uint64(len(functions)+i))
		body := []byte{0} // no locals
		for p := range f.Params {
			body = append(body, 0x20, byte(p)) // local.get
		}
		body = append(body, 0x10, byte(i), 0x0b) // call, end
		code = append(append(code, byte(len(body))), body...)
	}
	exports = append(name(exports, "memory"), 2, 0)
	out := []byte("\x00asm\x01\x00\x00\x00")
	out = append(out, section(1, len(functions), types)...)
	out = append(out, section(2, len(functions), imports)...)
	out = append(out, section(3, len(functions), declared)...)
	out = append(out, section(5, 1, binary.AppendUvarint([]byte{0}, uint64(pages)))...)
	out = append(out, section(7, len(functions)+1, exports)...)
	return append(out, section(10, len(functions), code)...)
}

// testHost is a host without an end of fuel. It fails the test when work is done for a guest that
// has not paid for it.
type testHost struct {
	t      testing.TB
	fuel   int64 // charged in all
	paid   int64 // charged since work was last done
	looks  int64
	draws  byte
	stdin  []byte
	output [3][]byte // by file descriptor
	chunks int
}

func (h *testHost) Charge(_ api.Module, fuel int64) {
	if fuel < 0 || h.fuel == 0 && fuel != CallFuel {
		h.t.Errorf("a charge of %d after %d", fuel, h.fuel)
	}
	h.fuel += fuel
	h.paid += fuel
}

func (h *testHost) work(n int) {
	h.chunks++
	if n > chunk || h.paid < priceOf(n) {
		h.t.Errorf("%d bytes were worked on for %d fuel", n, h.paid)
	}
	h.paid = 0
}

func (h *testHost) Walltime() int64 { h.looks++; return 1_000_000_000_000 + h.looks }
func (h *testHost) Nanotime() int64 { h.looks++; return h.looks }
func (h *testHost) FuelUsed() int64 { return h.fuel }

func (h *testHost) Random(p []byte) {
	h.work(len(p))
	_, _ = h.Read(p)
}

// Read is the same sequence for wazero's WASI.
func (h *testHost) Read(p []byte) (int, error) {
	for i := range p {
		h.draws++
		p[i] = h.draws
	}
	return len(p), nil
}

func (h *testHost) ReadStdin(p []byte) int {
	h.work(len(p))
	n := copy(p, h.stdin)
	h.stdin = h.stdin[n:]
	return n
}

func (h *testHost) WriteStdio(_ api.Module, fd uint32, p []byte) {
	h.work(len(p))
	h.output[fd] = append(h.output[fd], p...)
}

type hostKey struct{}

// newGuest instantiates the guest that calls every function, with a host that calls reach by the
// context returned.
func newGuest(t testing.TB, pages int) (context.Context, api.Module, *testHost) {
	t.Helper()
	h := &testHost{t: t}
	ctx := context.WithValue(context.Background(), hostKey{}, h)
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	var names []string
	for _, f := range Functions() {
		names = append(names, f.Name)
	}
	if err := Instantiate(ctx, r, names, func(ctx context.Context) Host { return ctx.Value(hostKey{}).(Host) }); err != nil {
		t.Fatal(err)
	}
	guest, err := r.Instantiate(ctx, guestOf(Functions(), pages))
	if err != nil {
		t.Fatal(err)
	}
	return ctx, guest, h
}

// call calls a function and returns its error number.
func call(t testing.TB, ctx context.Context, guest api.Module, name string, params ...uint64) errno {
	t.Helper()
	results, err := guest.ExportedFunction(name).Call(ctx, params...)
	if err != nil {
		t.Fatalf("%s%v: %v", name, params, err)
	}
	return errno(results[0])
}
