package runtime

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
)

// engine is a compiled module and the WebAssembly runtime made for it alone. One runtime a module, because the memory limit
// is a runtime's, because no guest can then see another's names, and because the engine's release at hand mixes up
// signatures when a module is instantiated on a runtime other than its own (wazero #2511).
type engine struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	files   wazero.CompilationCache // nil without a compile cache
}

// newEngine compiles a module that the meter has rewritten. Panics of the compiler are errors: it has been seen to panic
// on corrupt input (faults.md M8), and what it is given is somebody else's.
//
// With a directory, which must be one of the compile cache, code is taken from there if there is any, and left there if there is none.
func newEngine(ctx context.Context, m *meter.Rewritten, limits Limits, interpret bool, files string) (_ *engine, err error) {
	config := wazero.NewRuntimeConfig()
	if interpret {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	config = config.
		WithCoreFeatures(api.CoreFeaturesV2).
		WithMemoryLimitPages(limits.MemoryPages).
		WithMemoryCapacityFromMax(true). // growing would copy, and leave garbage several times the limit (faults.md X7)
		WithDebugInfoEnabled(false).
		WithCloseOnContextDone(false) // the meter ends a guest; see runtime/meter

	e := &engine{}
	if files != "" {
		if e.files, err = wazero.NewCompilationCacheWithDir(files); err != nil {
			return nil, fmt.Errorf("preparing the compile cache: %w", err)
		}
		config = config.WithCompilationCache(e.files)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the WebAssembly compiler panicked: %v", r)
		}
		if err != nil {
			e.close()
		}
	}()
	if err := e.hostFunctions(ctx, m.Module); err != nil {
		return nil, fmt.Errorf("preparing the module's imports: %w", err)
	}
	// With workers the compiler looks at the context between functions, so that shutting down does not wait for all of
	// them (faults.md fact 7).
	e.code, err = e.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, 2), m.Wasm)
	if err != nil {
		return nil, fmt.Errorf("compiling: %w", err)
	}
	return e, nil
}

// hostFunctions instantiates what a guest may import: WASI, made inert by [engine.instantiate], the log, and the meter's
// yield.
func (e *engine) hostFunctions(ctx context.Context, m *meter.Module) error {
	i32 := api.ValueTypeI32
	_, err := e.runtime.NewHostModuleBuilder(meter.YieldModule).
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, guest api.Module, _ []uint64) {
		callOf(ctx).yield(guest)
	}), nil, nil).Export(meter.YieldFunction).
		Instantiate(ctx)
	if err != nil {
		return err
	}
	var wasi, log bool
	for _, im := range m.Imports {
		wasi = wasi || im.Module == importWASI
		log = log || im.Module == importHost
	}
	if log {
		_, err := e.runtime.NewHostModuleBuilder(importHost).
			NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(logImport), []api.ValueType{i32, i32, i32}, nil).Export(importLog).
			Instantiate(ctx)
		if err != nil {
			return err
		}
	}
	if wasi {
		if _, err := wasi_snapshot_preview1.Instantiate(ctx, e.runtime); err != nil {
			return err
		}
	}
	return nil
}

// logImport is crosswalk_v1.log(level, ptr, len). A pointer outside memory is ignored: a log line is not worth a fault.
func logImport(ctx context.Context, mod api.Module, stack []uint64) {
	c := callOf(ctx)
	level, ptr, n := api.DecodeU32(stack[0]), api.DecodeU32(stack[1]), api.DecodeU32(stack[2])
	if int(n) > c.logLeft {
		c.log.dropped(int(n) - c.logLeft)
		n = uint32(c.logLeft)
	}
	text, ok := mod.Memory().Read(ptr, n)
	if !ok {
		return
	}
	c.logLeft -= int(n)
	if level == 3 {
		c.noteError(text)
	}
	levels := [...]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}
	c.log.line(levels[min(level, 3)], text)
}

// instantiate makes a new instance of the code in the world of c, with stdout going to the log. No function runs but a
// start section of the module's own, and that under the fuel of c.
func (e *engine) instantiate(c *call) (api.Module, error) {
	return e.instantiateWith(c, wazero.NewModuleConfig(), &c.stdout)
}

func (e *engine) instantiateWith(c *call, config wazero.ModuleConfig, stdout io.Writer) (api.Module, error) {
	ctx := experimental.WithMemoryAllocator(c.carrier, c.memory.allocator())
	return e.runtime.InstantiateModule(ctx, e.code, config.
		WithName("").          // a guest's name must not become one that others could import (faults.md M12)
		WithStartFunctions().  // what is to run is called by us, when we are ready for it
		WithArgs("converter"). // some runtimes crash on an empty argument list
		WithWalltime(c.world.walltime, 1).
		WithNanotime(c.world.nanotime, 1).
		WithRandSource(&c.world).
		WithStdout(stdout).
		WithStderr(&c.stderr))
}

// close frees the compiled code and whatever was instantiated. No call may be under way.
func (e *engine) close() {
	ctx := context.Background()
	if e.code != nil {
		_ = e.code.Close(ctx) // the runtime's Close does not do it (faults.md, engine facts)
	}
	_ = e.runtime.Close(ctx)
	if e.files != nil {
		_ = e.files.Close(ctx) // the runtime leaves the compiler itself to it
	}
}

// wasiSignatures returns the type of every WASI function, in the meter's notation.
func wasiSignatures(ctx context.Context) (map[string]string, error) {
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	compiled, err := wasi_snapshot_preview1.NewBuilder(r).Compile(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the functions of WASI: %w", err)
	}
	signatures := map[string]string{}
	for name, def := range compiled.ExportedFunctions() {
		signatures[name] = meter.FuncType{Params: valueTypes(def.ParamTypes()), Results: valueTypes(def.ResultTypes())}.String()
	}
	return signatures, nil
}

func valueTypes(in []api.ValueType) []meter.ValueType {
	out := make([]meter.ValueType, len(in))
	for i, t := range in {
		out[i] = meter.ValueType(t)
	}
	return out
}
