package plugins_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// guest is one instance of a module, driven as docs/spec/abi.md says. It has no limits and no fuel:
// these tests are about the converters, not about the gateway. Not for concurrent use.
type guest struct {
	command  *program // a program that is run for each batch; then there is nothing else
	module   api.Module
	alloc    api.Function
	convert  api.Function
	describe api.Function // nil if the module does not describe itself
}

// program is a module that has been compiled; compiling one from Go takes a second, so the tests
// share it.
type program struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	logged  []string // the log lines of its instances
}

// programs are the modules compiled so far, by file; they live as long as the process.
var programs = map[string]*program{}

// answer is a module's result for one object.
type answer struct {
	status uint32
	body   string
}

// newProgram compiles the module in file.
func newProgram(t testing.TB, file string) *program {
	t.Helper()
	if p := programs[file]; p != nil {
		return p
	}
	code, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	p := &program{runtime: wazero.NewRuntime(ctx)}
	wasi_snapshot_preview1.MustInstantiate(ctx, p.runtime)
	_, err = p.runtime.NewHostModuleBuilder("crosswalk_v1").NewFunctionBuilder().
		WithFunc(func(_ context.Context, m api.Module, level, ptr, size uint32) {
			text, ok := m.Memory().Read(ptr, size)
			p.logged = append(p.logged, fmt.Sprintf("%d %v %s", level, ok, text))
		}).Export("log").Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if p.code, err = p.runtime.CompileModule(ctx, code); err != nil {
		t.Fatal(err)
	}
	programs[file] = p
	return p
}

// newGuest instantiates the module in file; the test's end closes it.
func newGuest(t testing.TB, file string) *guest {
	t.Helper()
	p, ctx := newProgram(t, file), context.Background()
	if p.isCommand() {
		return &guest{command: p}
	}
	m, err := p.runtime.InstantiateModule(ctx, p.code,
		wazero.NewModuleConfig().WithName("").WithArgs("module").WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close(ctx) })
	g := &guest{module: m}
	for _, name := range []string{"crosswalk_abi_v1", "crosswalk_alloc", "crosswalk_convert"} {
		if g.module.ExportedFunction(name) == nil {
			t.Fatalf("%s does not export %s", file, name)
		}
	}
	g.alloc = g.module.ExportedFunction("crosswalk_alloc")
	g.convert = g.module.ExportedFunction("crosswalk_convert")
	g.describe = g.module.ExportedFunction("crosswalk_describe")
	return g
}

// frame is the request for a batch.
func frame(desired string, objects []string) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(len(objects)))
	b = le.AppendUint32(b, uint32(len(desired)))
	b = append(b, desired...)
	for _, o := range objects {
		b = le.AppendUint32(b, uint32(len(o)))
		b = append(b, o...)
	}
	return b
}

// call sends a frame and returns the response frame, which aliases the guest's memory.
func (g *guest) call(t testing.TB, request []byte) []byte {
	ctx := context.Background()
	result, err := g.alloc.Call(ctx, uint64(len(request)))
	if err != nil {
		t.Fatal(err)
	}
	ptr := uint32(result[0])
	if ptr == 0 || !g.module.Memory().Write(ptr, request) {
		t.Fatalf("crosswalk_alloc(%d) returned %d in a memory of %d bytes", len(request), ptr, g.module.Memory().Size())
	}
	result, err = g.convert.Call(ctx, uint64(ptr), uint64(len(request)))
	if err != nil {
		t.Fatal(err)
	}
	response, ok := g.module.Memory().Read(uint32(result[0]>>32), uint32(result[0]))
	if !ok {
		t.Fatalf("crosswalk_convert returned %#x in a memory of %d bytes", result[0], g.module.Memory().Size())
	}
	return response
}

// answers converts a batch.
func (g *guest) answers(t testing.TB, desired string, objects ...string) []answer {
	t.Helper()
	if g.command != nil {
		return g.command.review(t, desired, objects)
	}
	return readAnswers(t, g.call(t, frame(desired, objects)), len(objects))
}

// readAnswers takes a response frame apart.
func readAnswers(t testing.TB, response []byte, count int) (out []answer) {
	t.Helper()
	rest := response
	for len(rest) > 0 {
		if len(rest) < 8 || uint64(binary.LittleEndian.Uint32(rest[4:])) > uint64(len(rest)-8) {
			t.Fatalf("the response is cut off in answer %d: %q", len(out), rest)
		}
		n := binary.LittleEndian.Uint32(rest[4:])
		out = append(out, answer{binary.LittleEndian.Uint32(rest), string(rest[8 : 8+n])})
		rest = rest[8+n:]
	}
	if len(out) != count {
		t.Fatalf("%d answers for %d objects", len(out), count)
	}
	return out
}
