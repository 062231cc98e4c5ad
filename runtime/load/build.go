package load

import (
	"context"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// mostCounted is the largest module whose blocks are counted in the comparison with the interpreter:
// counting makes its code up to twice as long, and most blocks of larger modules are a language's runtime.
const mostCounted = 512 << 10

// build prepares a file for the engine: it inflates, scans and rewrites the module, checks imports
// and exports, and compiles it, unless code has the compiled module.
func (l *Loader) build(ctx context.Context, c *candidate, code *codeFile) error {
	wasm, err := artifact.Inflate(c.name.Packing, c.file.Content, c.limits.ModuleBytes)
	if err != nil {
		return err
	}
	l.stages.expect(len(wasm))
	rewritten, err := meter.Rewrite(wasm, meter.Limits{ModuleBytes: c.limits.ModuleBytes, MemoryPages: c.limits.MemoryPages}, meter.Options{MemoryPages: c.limits.MemoryPages, Blocks: l.interpret && len(wasm) <= mostCounted})
	if err != nil {
		return err
	}
	if c.command, err = module.CheckABI(rewritten.Module); err != nil {
		return err
	}
	c.wasmSize = len(rewritten.Wasm)
	if !code.hasRoom(len(rewritten.Wasm)) {
		code = nil
	}
	c.code = code
	if err := c.footprint.Hold(loadedBytes(len(rewritten.Wasm), rewritten.Parts, code)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.limits.CompileTime)
	defer cancel()
	if c.program, err = l.compileWith(ctx, c, rewritten, code); err != nil {
		c.footprint.Free() // a damaged entry of the cache is followed by another attempt
	}
	return err
}

func (l *Loader) compileWith(ctx context.Context, c *candidate, m *meter.Rewritten, code *codeFile) (*module.Program, error) {
	config := module.CompileConfig{Limits: c.limits, Interpret: l.interpret}
	if code != nil {
		files, err := code.compilationCache()
		if err != nil {
			return nil, fmt.Errorf("preparing the engine: %w", err)
		}
		config.Code = files
	}
	return module.Compile(ctx, m, config)
}
