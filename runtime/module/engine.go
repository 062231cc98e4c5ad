package module

import (
	"context"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
	"github.com/crosswalk-gateway/crosswalk/runtime/wasi"
)

// engine is a compiled module with its own WebAssembly runtime. Each module has its own runtime
// because the memory limit is per runtime, because guests then cannot see each other's names, and
// because this release of the engine mixes up signatures if a module is instantiated on another
// runtime (wazero #2511).
type engine struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	files   wazero.CompilationCache // nil without a file of code
}

// newEngine compiles a module that the meter has rewritten. It returns a panic of the compiler as
// an error: the compiler has panicked on corrupt input (faults.md M8), and modules are foreign
// input.
// It closes files in the end, also after an error.
func newEngine(ctx context.Context, m *meter.Rewritten, limits Limits, interpret bool, files wazero.CompilationCache) (_ *engine, err error) {
	config := wazero.NewRuntimeConfig()
	if interpret {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	config = config.
		WithCoreFeatures(api.CoreFeaturesV2).
		WithMemoryLimitPages(limits.MemoryPages).
		WithMemoryCapacityFromMax(true). // growing would copy, and leave garbage of several times the limit (faults.md X7)
		WithDebugInfoEnabled(false).
		WithCloseOnContextDone(false) // the meter ends a guest; see runtime/meter

	e := &engine{files: files}
	if files != nil {
		config = config.WithCompilationCache(files)
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
	// With workers the compiler checks the context between functions, so that a shutdown does not
	// wait for all functions (measured with wazero).
	e.code, err = e.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, 2), m.Wasm)
	if err != nil {
		return nil, fmt.Errorf("compiling: %w", err)
	}
	return e, nil
}

// hostFunctions instantiates the host functions that the guest imports: WASI, the log, and the
// meter's yield.
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
	var names []string // of WASI; a module may import one function several times
	log := false
	for _, im := range m.Imports {
		switch {
		case im.Module == wasi.ModuleName && !slices.Contains(names, im.Name):
			names = append(names, im.Name)
		case im.Module == importHost:
			log = true
		}
	}
	if log {
		_, err := e.runtime.NewHostModuleBuilder(importHost).
			NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(logImport), []api.ValueType{i32, i32, i32}, nil).Export(importLog).
			Instantiate(ctx)
		if err != nil {
			return err
		}
	}
	if len(names) > 0 {
		return wasi.Instantiate(ctx, e.runtime, names, func(ctx context.Context) wasi.Host { return callOf(ctx) })
	}
	return nil
}

// instantiate makes a new instance of the code for c. It runs no function but the module's start
// section, with the fuel of c.
func (e *engine) instantiate(c *call) (api.Module, error) {
	done := false
	defer func() {
		if !done { // if a start section fails, the engine does not free the memory
			c.memory.Free()
		}
	}()
	ctx := experimental.WithMemoryAllocator(c.carrier, c.memory.Allocator())
	guest, err := e.runtime.InstantiateModule(ctx, e.code, wazero.NewModuleConfig().
		WithName("").         // a guest's name must not become one that others could import (faults.md M12)
		WithStartFunctions()) // the gateway calls the start functions itself
	done = err == nil
	return guest, err
}

// close frees the compiled code and all instances. No call may be in progress.
func (e *engine) close() {
	ctx := context.Background()
	if e.code != nil {
		_ = e.code.Close(ctx) // the runtime's Close does not free it (measured with wazero)
	}
	_ = e.runtime.Close(ctx)
	if e.files != nil {
		_ = e.files.Close(ctx) // the cache owns the compiler
	}
}
