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

// engine is a compiled module and the WebAssembly runtime made for it alone. One runtime a module, because the memory limit
// is a runtime's, because no guest can then see another's names, and because the engine's release at hand mixes up
// signatures when a module is instantiated on a runtime other than its own (wazero #2511).
type engine struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	files   wazero.CompilationCache // nil without a file of code
}

// newEngine compiles a module that the meter has rewritten. Panics of the compiler are errors: it has been seen to panic
// on corrupt input (faults.md M8), and what it is given is somebody else's.
//
// With a file of code, which must be one of the compile cache or of a process that vets, the code is taken from there, or left there if
// the file is there to be written.
func newEngine(ctx context.Context, m *meter.Rewritten, limits Limits, interpret bool, code *codeFile) (_ *engine, err error) {
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
	if code != nil {
		if e.files, err = code.compilationCache(); err != nil {
			return nil, fmt.Errorf("preparing the engine: %w", err)
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

// hostFunctions instantiates the host functions that the guest imports: WASI, the log, and the meter's yield.
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

// instantiate makes a new instance of the code for c. No function runs but a start section of the module's own, and that under
// the fuel of c.
func (e *engine) instantiate(c *call) (api.Module, error) {
	done := false
	defer func() {
		if !done { // when a start section fails, the engine does not give the memory back
			c.memory.Free()
		}
	}()
	ctx := experimental.WithMemoryAllocator(c.carrier, c.memory.Allocator())
	guest, err := e.runtime.InstantiateModule(ctx, e.code, wazero.NewModuleConfig().
		WithName("").         // a guest's name must not become one that others could import (faults.md M12)
		WithStartFunctions()) // what is to run is called by us, when we are ready for it
	done = err == nil
	return guest, err
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
func wasiSignatures() map[string]string {
	signatures := map[string]string{}
	for _, f := range wasi.Functions() {
		signatures[f.Name] = meter.FuncType{Params: valueTypes(f.Params), Results: valueTypes(f.Results)}.String()
	}
	return signatures
}

func valueTypes(in []api.ValueType) []meter.ValueType {
	out := make([]meter.ValueType, len(in))
	for i, t := range in {
		out[i] = meter.ValueType(t)
	}
	return out
}
