package script

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// engine is the compiled JavaScript engine.
type engine struct {
	wasm     []byte
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// compile compiles the engine, with an inert WASI: nothing in it does anything, and it gives the
// same results on every run, so equal scripts make equal modules.
func compile(ctx context.Context, wasm []byte, log func(level uint32, text string)) (*engine, error) {
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(maxPages).WithCloseOnContextDone(true))
	e := &engine{wasm: wasm, runtime: r}
	if err := e.link(ctx, log); err != nil {
		e.close()
		return nil, fmt.Errorf("the JavaScript engine: %w", err)
	}
	return e, nil
}

func (e *engine) link(ctx context.Context, log func(level uint32, text string)) (err error) {
	const badDescriptor = 8
	wasi := e.runtime.NewHostModuleBuilder("wasi_snapshot_preview1")
	function := func(f any, name string) { wasi = wasi.NewFunctionBuilder().WithFunc(f).Export(name) }
	function(func(_ context.Context, m api.Module, _ uint32, _ uint64, at uint32) uint32 {
		m.Memory().WriteUint64Le(at, 0)
		return 0
	}, "clock_time_get")
	function(func(_ context.Context, m api.Module, at, size uint32) uint32 {
		if buffer, ok := m.Memory().Read(at, size); ok {
			clear(buffer)
		}
		return 0
	}, "random_get")
	function(func(context.Context, uint32) uint32 { return badDescriptor }, "fd_close")
	function(func(context.Context, uint32, uint32) uint32 { return badDescriptor }, "fd_fdstat_get")
	function(func(context.Context, uint32, uint64, uint32, uint32) uint32 { return badDescriptor }, "fd_seek")
	function(func(context.Context, uint32, uint32, uint32, uint32) uint32 { return badDescriptor }, "fd_write")
	if _, err := wasi.Instantiate(ctx); err != nil {
		return err
	}
	_, err = e.runtime.NewHostModuleBuilder("crosswalk_v1").NewFunctionBuilder().WithFunc(func(_ context.Context, m api.Module, level, at, size uint32) {
		if text, ok := m.Memory().Read(at, size); ok {
			log(level, string(text))
		}
	}).Export("log").Instantiate(ctx)
	if err != nil {
		return err
	}
	e.compiled, err = e.runtime.CompileModule(ctx, e.wasm)
	return err
}

func (e *engine) close() { _ = e.runtime.Close(context.Background()) }

// run loads sources into a new instance. It returns the module that begins where the instance is
// then; or the import that is missing; or the script's error.
func (e *engine) run(ctx context.Context, entry string, sources []source) (module []byte, missing string, err error) {
	m, err := e.runtime.InstantiateModule(ctx, e.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize", "crosswalk_initialize", "crosswalk_start"))
	if err != nil {
		return nil, "", fmt.Errorf("the JavaScript engine: %w", err)
	}
	defer m.Close(context.Background())
	i := &instance{ctx: ctx, module: m}
	for _, s := range sources {
		nameAt, nameSize := i.put([]byte(s.name))
		at, size := i.put(s.text)
		i.call("crosswalk_module", nameAt, nameSize, at, size)
	}
	at, size := i.put([]byte(entry))
	wrong, missing := i.text("crosswalk_load", at, size), i.text("crosswalk_missing")
	switch {
	case i.err != nil && errors.Is(ctx.Err(), context.Canceled):
		return nil, "", ctx.Err()
	case i.err != nil && ctx.Err() != nil:
		return nil, "", fmt.Errorf("the script did not end within %v: converters are registered at the top, and nothing else is computed there", timeout)
	case i.err != nil:
		return nil, "", fmt.Errorf("the JavaScript engine: %w", i.err)
	case missing != "":
		return nil, missing, nil
	case wrong != "":
		return nil, "", errors.New(wrong)
	}
	module, err = freeze(e.wasm, m)
	return module, "", err
}

// instance calls an instance of the engine. After an error it does nothing.
type instance struct {
	ctx    context.Context
	module api.Module
	err    error
}

func (i *instance) call(name string, args ...uint64) uint64 {
	if i.err != nil {
		return 0
	}
	f := i.module.ExportedFunction(name)
	if f == nil {
		i.err = fmt.Errorf("it does not export %s", name)
		return 0
	}
	results, err := f.Call(i.ctx, args...)
	if i.err = err; err != nil || len(results) == 0 {
		return 0
	}
	return results[0]
}

// put copies bytes to the instance's memory.
func (i *instance) put(bytes []byte) (at, size uint64) {
	at = i.call("crosswalk_buffer", uint64(len(bytes)))
	if i.err == nil && !i.module.Memory().Write(uint32(at), bytes) {
		i.err = errors.New("it ran out of memory")
	}
	return at, uint64(len(bytes))
}

// text returns the text that a function returns.
func (i *instance) text(name string, args ...uint64) string {
	result := i.call(name, args...)
	if result == 0 || i.err != nil {
		return ""
	}
	text, ok := i.module.Memory().Read(uint32(result>>32), uint32(result))
	if !ok {
		i.err = fmt.Errorf("%s returned %#x", name, result)
	}
	return string(text)
}
