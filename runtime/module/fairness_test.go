package module

import (
	"context"
	goruntime "runtime"
	"sync"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// TestOwnersShareProcessors: an owner whose guests compute for ever gets no more of the processors
// than another one that has a single guest. The processor is one, and the work is counted as fuel.
func TestOwnersShareProcessors(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	const guests = 7
	limits := smallLimits
	limits.ModuleInstances, limits.Instances, limits.FuelPerObject = guests, 2*guests+2, 100_000_000
	l := testLoader(t, limits)
	load := func(kind string) *Module {
		name := artifact.Name{File: kind + ".g_v1_v2.wasm", Base: kind + ".g_v1_v2", Kind: kind, Group: "g", Versions: testName.Versions}
		m, err := l.load(t.Context(), name, fixture(t, "x01_spin"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Close)
		return m
	}
	greedy, modest := load("Greedy"), load("Modest")
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range guests {
		all.Go(func() { // until stop
			for ctx.Err() == nil {
				_, _, _ = greedy.Convert(ctx, "g/v1", "g/v2", [][]byte{testObject})
			}
		})
	}
	for l.budget.atWork(greedy.pool.claim) < guests {
		goruntime.Gosched()
	}
	before := greedy.program.counters.work.Load()
	_, _, _ = modest.Convert(ctx, "g/v1", "g/v2", [][]byte{testObject})
	stop()
	all.Wait()
	if its, others := modest.program.counters.work.Load(), greedy.program.counters.work.Load()-before; others > 3*its {
		t.Errorf("a guest used %d units of fuel, and the %d guests of another owner %d meanwhile", its, guests, others)
	}
}
