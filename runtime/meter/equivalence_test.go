package meter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// machine is an instance of a module, rewritten or not, on one of the engines.
type machine struct {
	runtime wazero.Runtime
	module  api.Module
	counter api.MutableGlobal
	slice   int64 // granted at each yield
	granted int64
	most    int64 // granted in total at most; 0 = no bound
	yields  int
}

var errStopped = errors.New("stopped by the test")

func newMachine(t testing.TB, config wazero.RuntimeConfig, wasm []byte, slice int64) *machine {
	t.Helper()
	return newMachineIn(t, config, wasm, slice, wazero.NewModuleConfig())
}

// newMachineIn is newMachine with the caller's imports.
func newMachineIn(t testing.TB, config wazero.RuntimeConfig, wasm []byte, slice int64, world wazero.ModuleConfig) *machine {
	t.Helper()
	ctx := context.Background()
	m := &machine{runtime: wazero.NewRuntimeWithConfig(ctx, config.WithCoreFeatures(api.CoreFeaturesV2)), slice: slice}
	t.Cleanup(func() { m.runtime.Close(ctx) })
	_, err := m.runtime.NewHostModuleBuilder(YieldModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, mod api.Module, _ []uint64) {
			g := mod.ExportedGlobal(CounterGlobal).(api.MutableGlobal)
			fuel, left := Unpack(g.Get())
			m.yields++
			if left < 0 {
				panic(fmt.Errorf("%w: stack", errStopped))
			}
			if m.most > 0 && m.granted >= m.most {
				panic(fmt.Errorf("%w: fuel", errStopped))
			}
			grant := max(min(m.slice, left/FrameBytesPerFuel), 100, -fuel) // one charge may be more than a slice
			m.granted += grant
			g.Set(Pack(fuel+grant, left))
		}), nil, nil).Export(YieldFunction).Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wasi_snapshot_preview1.MustInstantiate(ctx, m.runtime)
	if _, err := m.runtime.NewHostModuleBuilder("crosswalk_v1").NewFunctionBuilder().
		WithFunc(func(uint32, uint32, uint32) {}).Export("log").Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	if m.module, err = m.runtime.InstantiateWithConfig(ctx, wasm, world.WithStartFunctions()); err != nil {
		t.Fatalf("instantiating: %v", err)
	}
	if g, ok := m.module.ExportedGlobal(CounterGlobal).(api.MutableGlobal); ok {
		m.counter = g
	}
	return m
}

func (m *machine) close() { m.runtime.Close(context.Background()) }

// used is the fuel used so far.
func (m *machine) used() int64 {
	fuel, _ := Unpack(m.counter.Get())
	return m.granted - fuel
}

// call calls a function and returns its results or its error as text. All NaNs are equal.
func (m *machine) call(name string, t FuncType, args []uint64) string {
	results, err := m.module.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil {
		if errors.Is(err, errStopped) {
			return err.Error()[:len(errStopped.Error())+6]
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		return first
	}
	var out strings.Builder
	at := 0
	for _, r := range t.Results {
		switch {
		case r == F32 && math.IsNaN(float64(api.DecodeF32(results[at]))), r == F64 && math.IsNaN(api.DecodeF64(results[at])):
			out.WriteString(" NaN")
		case r == F32, r == I32:
			fmt.Fprintf(&out, " %x", uint32(results[at]))
		case r == V128:
			fmt.Fprintf(&out, " %x:%x", results[at], results[at+1])
			at++
		default:
			fmt.Fprintf(&out, " %x", results[at])
		}
		at++
	}
	return out.String()
}

// state is a digest of memory and globals. All NaNs are equal.
func (m *machine) state() string {
	memory := m.module.ExportedMemory("m")
	all, _ := memory.Read(0, memory.Size())
	sum := sha256.Sum256(all)
	out := fmt.Sprintf("%d pages %x", memory.Size()>>16, sum[:6])
	for i, t := range numeric {
		v := m.module.ExportedGlobal("g" + strconv.Itoa(i)).Get()
		if t == F32 && math.IsNaN(float64(api.DecodeF32(v))) || t == F64 && math.IsNaN(api.DecodeF64(v)) {
			out += " NaN"
		} else {
			out += fmt.Sprintf(" %x", v)
		}
	}
	return out + m.call("f"+strconv.Itoa(generatedFunctions), FuncType{Results: []ValueType{V128}}, nil)
}

// agree runs a generated module in its original form on the interpreter, as the reference, and
// rewritten on both engines, half of them with counted blocks: all observable state must be the same,
// and so must the fuel on both engines.
func agree(t *testing.T, wasm []byte, seed uint64) {
	t.Helper()
	m, err := Scan(wasm, Limits{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	options := Options{chunk: []uint32{0, 256, 7}[seed/3%3]}
	rewritten, err := Rewrite(wasm, Limits{}, options)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	options.Blocks = seed%2 == 0 // as the gateway compares them
	counted, err := Rewrite(wasm, Limits{}, options)
	if err != nil || options.Blocks != (counted.Blocks > 0) {
		t.Fatalf("seed %d: %d blocks, %v", seed, counted.Blocks, err)
	}
	slice := []int64{1 << 40, 1000, 100}[seed%3]
	truth := newMachine(t, wazero.NewRuntimeConfigInterpreter(), wasm, 0)
	interpreted := newMachine(t, wazero.NewRuntimeConfigInterpreter(), counted.Wasm, slice)
	compiled := newMachine(t, wazero.NewRuntimeConfigCompiler(), rewritten.Wasm, slice)
	r := rand.New(rand.NewPCG(seed, 11))
	for f := range m.Functions {
		typ := m.types[m.funcs[f]]
		args := arguments(r, typ)
		name := "f" + strconv.Itoa(f)
		want := truth.call(name, typ, args) + " | " + truth.state()
		if got := interpreted.call(name, typ, args) + " | " + interpreted.state(); got != want {
			t.Fatalf("seed %d, %s: rewritten, on the interpreter\n got %s\nwant %s", seed, name, got, want)
		}
		if got := compiled.call(name, typ, args) + " | " + compiled.state(); got != want {
			t.Fatalf("seed %d, %s: rewritten, on the compiler\n got %s\nwant %s", seed, name, got, want)
		}
		if fuel, _ := Unpack(compiled.counter.Get()); fuel < 0 {
			t.Fatalf("seed %d, %s: returned with %d fuel, without a yield", seed, name, fuel)
		}
		// A trap may come before the first charge; a call without a trap has been charged.
		if a, b := interpreted.used(), compiled.used(); a != b || a < 0 || a == 0 && !strings.HasPrefix(want, "wasm error") {
			t.Fatalf("seed %d, %s: %d fuel on the interpreter and %d on the compiler", seed, name, a, b)
		}
	}
}

// arguments makes up values for a function's parameters.
func arguments(r *rand.Rand, t FuncType) (args []uint64) {
	for _, p := range t.Params {
		switch p {
		case I32, F32:
			args = append(args, uint64(r.Uint32()>>r.IntN(32)))
		case V128:
			args = append(args, r.Uint64(), r.Uint64())
		default:
			args = append(args, r.Uint64()>>r.IntN(64))
		}
	}
	return args
}

// TestEquivalence compares CROSSWALK_MODULES generated modules, 2,000 by default.
func TestEquivalence(t *testing.T) {
	n := 2000
	if testing.Short() {
		n = 100
	}
	if v, err := strconv.Atoi(os.Getenv("CROSSWALK_MODULES")); err == nil {
		n = v
	}
	for chunk := range (n + 99) / 100 {
		t.Run(strconv.Itoa(chunk), func(t *testing.T) { // so that runtimes are closed now and then
			for i := range min(100, n-100*chunk) {
				seed := uint64(100*chunk + i)
				agree(t, generate(seed), seed)
			}
		})
	}
}

// TestRewriteIsStable: the same module gives the same bytes, and rewriting does not touch its
// input.
func TestRewriteIsStable(t *testing.T) {
	wasm := generate(1)
	before := bytes.Clone(wasm)
	a, err := Rewrite(wasm, Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Rewrite(wasm, Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Wasm, b.Wasm) || !bytes.Equal(wasm, before) {
		t.Error("rewriting is not a function of its input, or changes it")
	}
	if _, err := Rewrite(a.Wasm, Limits{}, Options{}); err == nil {
		t.Error("a rewritten module was taken for an original: its meter would be the module's own")
	}
}

// FuzzRewrite compares a generated module whose seed the fuzzer chooses.
func FuzzRewrite(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { agree(t, generate(seed), seed) })
}
