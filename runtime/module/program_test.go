package module

import (
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
)

// TestCloseEndsTheEngine: the engine holds the compiled code, outside of Go's heap, until it ends.
// A gateway whose modules are replaced for months would grow by every one of them.
func TestCloseEndsTheEngine(t *testing.T) {
	limits := Limits{}.WithDefaults()
	r, err := meter.Rewrite(fixture(t, "a07_kind").Content, meter.Limits{ModuleBytes: limits.ModuleBytes, MemoryPages: limits.MemoryPages}, meter.Options{MemoryPages: limits.MemoryPages})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(t.Context(), r, CompileConfig{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	instantiate := func() error {
		_, err := p.engine.runtime.InstantiateModule(t.Context(), p.engine.code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
		return err
	}
	if err := instantiate(); err != nil {
		t.Fatal(err)
	}
	p.Close()
	if instantiate() == nil {
		t.Error("the engine still works after Close")
	}
}
