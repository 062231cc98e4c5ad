package plugins_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
)

// TestOutOfMemory gives the converter in C little memory. For every size of the request,
// crosswalk_alloc returns no buffer, or the response reports a crash, or the module traps by
// unreachable, or the object is converted. It must not access memory out of bounds.
func TestOutOfMemory(t *testing.T) {
	const (
		desired    = "stable.example.com/v2"
		crash      = "the converter ran out of memory"
		start, end = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{"cronSpec":"1 2 3 4 5","padding":"`, `"}}`
	)
	for _, c := range converters(t) {
		if c.language != "c" || c.plugin != "crontab" {
			continue
		}
		code, err := os.ReadFile(c.file)
		if err != nil {
			t.Skip(built.output)
		}
		ctx := context.Background()
		outcomes := map[string]int{}
		for pages := uint32(3); pages <= 8; pages++ {
			runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(pages))
			g := newLimited(t, runtime, code)
			for size := 0; size < int(pages)<<16; size += 3989 {
				for _, object := range []string{
					start + strings.Repeat("x", size) + end,
					start + strings.Repeat("x", size/2) + end + strings.Repeat(" ", size/2),
				} {
					outcome := g.try(t, desired, object, crash)
					outcomes[outcome]++
					if outcome == "trapped" { // the stack pointer of this instance is wrong from now on
						g = newLimited(t, runtime, code)
					}
				}
			}
			runtime.Close(ctx)
		}
		for _, outcome := range []string{"no buffer", "crashed", "trapped", "converted"} {
			if outcomes[outcome] == 0 {
				t.Errorf("no request ended with %q: %v", outcome, outcomes)
			}
		}
		t.Log(outcomes)
	}
}

// newLimited instantiates a module in a runtime with limited memory.
func newLimited(t *testing.T, runtime wazero.Runtime, code []byte) *guest {
	module, err := runtime.InstantiateWithConfig(context.Background(), code, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		t.Fatal(err)
	}
	return &guest{module: module, alloc: module.ExportedFunction("crosswalk_alloc"), convert: module.ExportedFunction("crosswalk_convert")}
}

// try converts one object and returns the outcome. It fails the test on any outcome that is not
// allowed.
func (g *guest) try(t *testing.T, desired, object, crash string) string {
	ctx := context.Background()
	request := frame(desired, []string{object})
	result, err := g.alloc.Call(ctx, uint64(len(request)))
	if err != nil {
		t.Fatalf("crosswalk_alloc(%d): %v", len(request), err)
	}
	if result[0] == 0 {
		return "no buffer"
	}
	if !g.module.Memory().Write(uint32(result[0]), request) {
		t.Fatalf("crosswalk_alloc(%d) returned %d in a memory of %d bytes", len(request), result[0], g.module.Memory().Size())
	}
	if result, err = g.convert.Call(ctx, result[0], uint64(len(request))); err != nil {
		if strings.HasPrefix(err.Error(), "wasm error: unreachable") {
			return "trapped"
		}
		t.Fatalf("crosswalk_convert of %d bytes: %v", len(request), err)
	}
	response, ok := g.module.Memory().Read(uint32(result[0]>>32), uint32(result[0]))
	if !ok {
		t.Fatalf("crosswalk_convert of %d bytes returned %#x", len(request), result[0])
	}
	switch a := readAnswers(t, response, 1)[0]; {
	case a.status == 0 && strings.HasPrefix(a.body, `{"apiVersion":"stable.example.com/v2"`) && strings.Contains(a.body, `"dayOfWeek":"5"`):
		return "converted"
	case a.status == 2 && a.body == crash:
		return "crashed"
	default:
		t.Fatalf("%d bytes were answered with %d %.200s", len(request), a.status, a.body)
		return ""
	}
}
