//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package module

import (
	"context"
	goruntime "runtime"
	"runtime/debug"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/memory"
)

// TestIdleInstancesKeepDocumentedMemoryX27 has several instances of hostile modules work at the
// same time, and measures what they keep when they are idle: no more than docs/use/tasks.md says under
// Sizing.
func TestIdleInstancesKeepDocumentedMemoryX27(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, whose tests are short, keeps shadow memory for all that a guest touched")
	}
	const (
		instances  = 8
		documented = memory.KeepBytes + 2*keepStack // of memory that was written to, and of call stack
		tables     = 12 << 20                       // of a module with as many elements as there may be
		noise      = 16 << 20                       // of the process, in all
	)
	limits := smallLimits
	limits.ModuleInstances, limits.Instances = instances, 2*instances
	limits.FuelPerObject = 200_000_000
	l := testLoader(t, limits)
	for _, tc := range []struct {
		file     string
		elements int
		most     int // for each instance
	}{
		{"x05_recursion", 0, documented}, // it faults, and leaves nothing
		{"x07_grow", 0, documented},
		{"x13_state_large", 0, documented},
		{"x26_references", 0, documented},
		{"x27_deep", 0, documented},
		{"x27_deep", 131_072, documented + tables},
	} {
		file := fixture(t, tc.file)
		if tc.elements > 0 {
			file.Content = withElements(t, file.Content, tc.elements)
		}
		m, err := l.load(context.Background(), testName, file)
		if err != nil {
			t.Fatal(err)
		}
		resident, heap := settledMemory()
		var borrowed []*instance
		var sound []bool
		for range instances {
			in, fault := m.pool.borrow(context.Background())
			if fault != nil {
				t.Fatal(fault)
			}
			_, _, fault = in.batch(context.Background(), "g/v2", [][]byte{testObject})
			borrowed, sound = append(borrowed, in), append(sound, fault == nil)
		}
		for i, in := range borrowed {
			m.pool.giveBack(in, sound[i])
		}
		clear(borrowed)
		residentAfter, heapAfter := settledMemory()
		grown := max(residentAfter-resident, heapAfter-heap)
		t.Logf("%s with %d elements: an idle instance keeps %d KiB", tc.file, tc.elements, grown/instances>>10)
		if grown > instances*tc.most+noise {
			t.Errorf("%s with %d elements: an idle instance keeps %d KiB; %d are documented", tc.file, tc.elements, grown/instances>>10, tc.most>>10)
		}
		m.Close()
	}
}

// settledMemory returns the resident memory of the process and the Go heap, without garbage. What
// of the heap was never written to is not resident, and counts for the collector all the same.
func settledMemory() (resident, heap int) {
	debug.FreeOSMemory()
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	return residentBytes("/proc/self/statm"), int(stats.HeapAlloc)
}
