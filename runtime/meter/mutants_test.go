package meter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// mutate damages a module: flipped bits, a changed byte, a cut, a run of zeros, a stretch repeated
// or moved, a count blown up.
func mutate(r *rand.Rand, wasm []byte) []byte {
	b := append([]byte(nil), wasm...)
	for range 1 + r.IntN(4) {
		if len(b) < 16 {
			return b
		}
		at := r.IntN(len(b))
		n := 1 + r.IntN(min(32, len(b)-at))
		switch r.IntN(7) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2:
			b = b[:at]
		case 3:
			clear(b[at : at+n])
		case 4:
			b = append(b[:at+n:at+n], b[at:]...)
		case 5:
			to := r.IntN(len(b) - n + 1)
			copy(b[to:to+n], append([]byte(nil), b[at:at+n]...))
		default:
			b = append(append(append([]byte(nil), b[:at]...), 0xff, 0xff, 0xff, 0xff, 0x0f), b[min(at+1, len(b)):]...)
		}
	}
	return b
}

// compiles compiles a module with the engine, and returns its error or panic.
func compiles(runtime wazero.Runtime, wasm []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	code, err := runtime.CompileModule(context.Background(), wasm)
	if err == nil {
		err = code.Close(context.Background())
	}
	return err
}

// sound scans and rewrites a module. The engine must accept each accepted module; otherwise the
// validation has a hole.
func sound(t testing.TB, runtime wazero.Runtime, wasm []byte, what string) (accepted bool) {
	_, scanned := Scan(wasm, Limits{})
	r, err := Rewrite(wasm, Limits{}, Options{})
	if (scanned == nil) != (err == nil) {
		t.Fatalf("%s: Scan says %v, Rewrite %v", what, scanned, err)
	}
	if err != nil {
		return false
	}
	if err := compiles(runtime, r.Wasm); err != nil {
		t.Fatalf("%s was accepted, and the engine rejects the rewritten module: %v\n%x", what, err, wasm)
	}
	return true
}

func newValidator(t testing.TB, config wazero.RuntimeConfig) wazero.Runtime {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, config.WithCoreFeatures(api.CoreFeaturesV2).WithMemoryLimitPages(1024))
	t.Cleanup(func() { r.Close(ctx) })
	return r
}

// TestMutantsAreRejectedOrValidM8 damages real modules 20,000 times.
func TestMutantsAreRejectedOrValidM8(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.wasm")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules to damage")
	}
	built, _ := filepath.Glob("../../bin/plugins/*/CronTab.*.wasm")
	var modules [][]byte
	for _, f := range append(files, built...) {
		wasm, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(wasm) < 200<<10 { // one of Go's two megabytes would take all the time
			modules = append(modules, wasm)
		}
	}
	for seed := range uint64(20) {
		modules = append(modules, generate(seed))
	}
	n := 20_000
	if testing.Short() {
		n = 1000
	}
	interpreter, compiler := newValidator(t, wazero.NewRuntimeConfigInterpreter()), newValidator(t, wazero.NewRuntimeConfigCompiler())
	accepted := 0
	for i := range n {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		runtime := interpreter
		if r.IntN(2) == 0 {
			runtime = compiler
		}
		if sound(t, runtime, mutate(r, modules[i%len(modules)]), fmt.Sprintf("mutant %d", i)) {
			accepted++
		}
	}
	t.Logf("%d of %d mutants were accepted", accepted, n)
	if accepted == 0 || accepted == n {
		t.Error("all mutants were accepted, or all rejected")
	}
}

// FuzzScan scans arbitrary bytes.
func FuzzScan(f *testing.F) {
	files, _ := filepath.Glob("../testdata/*.wasm")
	for _, file := range files {
		wasm, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wasm)
	}
	f.Add(generate(3))
	runtime := newValidator(f, wazero.NewRuntimeConfigInterpreter())
	f.Fuzz(func(t *testing.T, wasm []byte) { sound(t, runtime, wasm, "the module") })
}
