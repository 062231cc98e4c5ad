package plugins_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
)

// TestOutOfMemory gives the C converters less and less memory. Whatever the size of the request, they must not trap: there is
// no buffer, or the object is refused, or the batch fails, or all is well.
func TestOutOfMemory(t *testing.T) {
	const (
		desired    = "stable.example.com/v2"
		refusal    = "the converter ran out of memory"
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
			g := &guest{}
			if g.module, err = runtime.InstantiateWithConfig(ctx, code, wazero.NewModuleConfig()); err != nil {
				t.Fatal(err)
			}
			g.alloc, g.convert = g.module.ExportedFunction("crosswalk_alloc"), g.module.ExportedFunction("crosswalk_convert")
			for size := 0; size < int(pages)<<16; size += 3989 {
				outcomes[g.try(t, desired, start+strings.Repeat("x", size)+end, refusal)]++
				outcomes[g.try(t, desired, start+strings.Repeat("x", size/2)+end+strings.Repeat(" ", size/2), refusal)]++
			}
			runtime.Close(ctx)
		}
		for _, outcome := range []string{"no buffer", "refused", "converted"} {
			if outcomes[outcome] == 0 {
				t.Errorf("no request ended with %q: %v", outcome, outcomes)
			}
		}
		t.Log(outcomes)
	}
}

// try converts one object and says what came of it.
func (g *guest) try(t *testing.T, desired, object, refusal string) string {
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
		t.Fatalf("crosswalk_convert of %d bytes: %v", len(request), err)
	}
	if result[0]>>32 == 0 {
		return "batch failed"
	}
	response, ok := g.module.Memory().Read(uint32(result[0]>>32), uint32(result[0]))
	if !ok {
		t.Fatalf("crosswalk_convert of %d bytes returned %#x", len(request), result[0])
	}
	switch a := readAnswers(t, response, 1)[0]; {
	case a.status == 0 && strings.HasPrefix(a.body, `{"apiVersion":"stable.example.com/v2"`) && strings.Contains(a.body, `"dayOfWeek":"5"`):
		return "converted"
	case a.status == 1 && a.body == refusal:
		return "refused"
	default:
		t.Fatalf("%d bytes were answered with %d %.200s", len(request), a.status, a.body)
		return ""
	}
}
